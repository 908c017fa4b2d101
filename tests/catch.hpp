// SPDX-License-Identifier: MIT
// Includes Catch2 2.13 or 3, whichever the build found, and prints this project's types in failure messages.
#pragma once

#define CATCH_CONFIG_ENABLE_OPTIONAL_STRINGMAKER
#define CATCH_CONFIG_FAST_COMPILE  // an exception out of a CHECK ends its test case; compiles a tenth faster
#ifdef PERFDATA_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <concepts>
#include <cstdint>
#include <string>

#include "perfdata/core/error.hpp"

namespace Catch {

// Address, Time, Pid and other types with one number.
template <class T>
requires requires(const T& quantity) {
    { quantity.value } -> std::convertible_to<std::uint64_t>;
}
struct StringMaker<T> {
    static std::string convert(const T& quantity) { return StringMaker<std::uint64_t>::convert(quantity.value); }
};

template <>
struct StringMaker<perfdata::Error> {
    static std::string convert(const perfdata::Error& error) { return error.message(); }
};

template <>
struct StringMaker<perfdata::ErrorCode> {
    static std::string convert(perfdata::ErrorCode code) { return std::string(perfdata::to_string(code)); }
};

}  // namespace Catch
