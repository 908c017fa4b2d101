// SPDX-License-Identifier: MIT
// The C library's functions of mathematics, which few commands call: loading them was a tenth of `perfdata info`. Only
// a tool with static libraries does without them: the shared standard library needs them itself. The static one refers
// to two in what the tool does not use.
#include "on_demand.hpp"

// As <cmath> declares them, which has more functions of these names.
extern "C" {
double erfc(double);
double exp(double);
int fegetround();
int fesetround(int);
long double ldexpl(long double, int);
long long llround(double);
double log(double);
double nextafter(double, double);
double round(double);
double sqrt(double);
}

namespace perfdata::tool {
namespace {

const OnDemand& libm() {
    static const auto* const loaded = new OnDemand("libm.so.6");  // glibc
    return *loaded;
}

template <auto function>
auto in_libm(const char* name) {
    return on_demand<libm, function>(name);
}

}  // namespace
}  // namespace perfdata::tool

using perfdata::tool::in_libm;

extern "C" {

double erfc(double value) {
    return in_libm<erfc>("erfc")(value);
}
double exp(double value) {
    return in_libm<exp>("exp")(value);
}
int fegetround() {
    return in_libm<fegetround>("fegetround")();
}
int fesetround(int mode) {
    return in_libm<fesetround>("fesetround")(mode);
}
long double ldexpl(long double value, int exponent) {
    return in_libm<ldexpl>("ldexpl")(value, exponent);
}
long long llround(double value) {
    return in_libm<llround>("llround")(value);
}
double log(double value) {
    return in_libm<log>("log")(value);
}
double nextafter(double from, double to) {
    return in_libm<nextafter>("nextafter")(from, to);
}
double round(double value) {
    return in_libm<round>("round")(value);
}
double sqrt(double value) {
    return in_libm<sqrt>("sqrt")(value);
}
}
