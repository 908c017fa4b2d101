// SPDX-License-Identifier: MIT
// A program that knows its own stack. Functions f0 to f9 call each other on ways that a seed chooses; the innermost one
// calls spin, which keeps the way in a register while it loops: a sample there tells which functions called which, by
// its registers alone. truth.py compares. truth ROUNDS [SEED]
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "truth_spin.hpp"

#ifdef __clang__
#define APART [[gnu::noinline]]
#define UNOPTIMIZED [[clang::optnone]]
#else
#define APART [[gnu::noipa]]
#define UNOPTIMIZED [[gnu::optimize("O0")]]
#endif

namespace {

struct Way {
    truth_digits digits = 0;  // four bits a function, the outermost lowest: its number + 1
    unsigned length = 0, at = 0;
};

thread_local Way* current;  // for functions that others call back
volatile std::uint64_t sink;

}  // namespace

extern "C" {

// The register of the way and the register of the mark are set inside only: see truth_spin.hpp.
APART void spin(truth_digits digits) {
    truth_loop(digits, 40000);
}

void f0(Way& way);
void f1(Way& way);
void f2(Way& way);
void f3(Way& way);
void f4(Way& way);
void f5(Way& way);
void f6(Way& way);  // of the shared library, if built with one
void f7(Way& way);
void f8(Way& way);
void f9(Way& way);
void truth_next(Way& way);
}

namespace {

void (*const functions[])(Way&) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9};

[[gnu::always_inline]] inline void next(Way& way) {
    if (way.at == way.length) return spin(way.digits);
    const auto which = (way.digits >> (4 * way.at++) & 15) - 1;
    functions[which](way);
}

struct Caller {
    virtual ~Caller() = default;
    virtual void call(Way& way) const = 0;
};

struct Direct final : Caller {
    APART void call(Way& way) const override {
        next(way);
        sink = sink + 1;
    }
};

const Direct direct;
const Caller* volatile caller = &direct;

extern "C" APART void on_signal(int, siginfo_t*, void*) {
    next(*current);
    sink = sink + 1;
}

extern "C" APART int compare(const void*, const void*) {
    if (auto* const way = current) {
        current = nullptr;  // the first comparison only
        next(*way);
        current = nullptr;
        sink = sink + 1;
    }
    return 0;
}

}  // namespace

extern "C" {

APART void truth_next(Way& way) {
    next(way);
    sink = sink + 1;
}

APART void f0(Way& way) {
    next(way);
    sink = sink + 1;
}

APART void f1(Way& way) {  // a frame of variable size
    auto* bytes = static_cast<volatile char*>(__builtin_alloca(16 + static_cast<std::size_t>(way.digits % 200)));
    bytes[7] = 1;
    next(way);
    sink = sink + static_cast<std::uint64_t>(bytes[7]);
}

APART void f2(Way& way) {  // an aligned frame
    alignas(64) volatile char bytes[64];
    bytes[9] = 2;
    next(way);
    sink = sink + static_cast<std::uint64_t>(bytes[9]);
}

APART void f3(Way& way) {  // a large frame
    volatile char bytes[700];
    bytes[99] = 3;
    next(way);
    sink = sink + static_cast<std::uint64_t>(bytes[99]);
}

APART void f4(Way& way) {  // all registers are needed again
    const std::uint64_t a = sink, b = sink, c = sink, d = sink, e = sink, f = sink, g = sink;
    next(way);
    sink = ((a * 3 + b) * 5 + c) * 7 + ((d * 3 + e) * 5 + f) * 7 + g;
}

APART void f5(Way& way) {
    caller->call(way);
    sink = sink + 1;
}

#ifndef TRUTH_LIBRARY
APART void f6(Way& way) {
    truth_next(way);
    sink = sink + 1;
}
#endif

APART UNOPTIMIZED void f7(Way& way) {  // not optimised
    truth_next(way);
    sink = sink + 1;
}

APART void f8(Way& way) {  // below a signal
    current = &way;
    raise(SIGUSR1);
    sink = sink + 1;
}

APART void f9(Way& way) {  // below the C library
    int numbers[8] = {};
    current = &way;
    std::qsort(numbers, 8, sizeof numbers[0], compare);
    sink = sink + static_cast<std::uint64_t>(numbers[3]);
}

APART void walk(std::uint64_t seed) {
    Way way;
    way.length = static_cast<unsigned>(seed >> 33) % (2 * sizeof(truth_digits)) + 1;
    bool signal = false;
    for (unsigned at = 0; at < way.length; ++at) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        auto which = static_cast<unsigned>(seed >> 33) % 10;
        if (which == 8 && signal) which = 0;  // frames of signals are large
        signal |= which == 8;
        way.digits |= static_cast<truth_digits>(which + 1) << (4 * at);
    }
    next(way);
    sink = sink + 1;
}
}

int main(int count, char** arguments) {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGUSR1, &action, nullptr);
    const auto rounds = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
    std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        walk(seed);
    }
    return 0;
}
