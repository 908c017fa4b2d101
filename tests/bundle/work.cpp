// SPDX-License-Identifier: MIT
// A program to record: functions that the compiler inlines, and some that it does not.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

volatile std::uint64_t sum = 0;

inline __attribute__((always_inline)) std::uint64_t mix(std::uint64_t value) {
    value ^= value << 13;
    value ^= value >> 7;
    return value ^ value << 17;
}

inline __attribute__((always_inline)) std::uint64_t twice(std::uint64_t value) {
    return mix(mix(value));
}

__attribute__((noinline)) std::uint64_t turn(std::uint64_t value, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) value = twice(value + round);
    return value;
}

__attribute__((noinline)) std::uint64_t spin(std::uint64_t value) {
    return turn(value, 2000) + 1;
}

}  // namespace

// work ROUNDS [wait]: with `wait` it stays until its input ends.
int main(int count, char** arguments) {
    const auto rounds = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
    for (unsigned long round = 0; round < rounds; ++round) {
        sum = spin(sum);
        if (round % 16 == 0) (void)getppid();
    }
    if (count > 2) {
        std::puts("done");
        std::fflush(stdout);
        (void)std::fgetc(stdin);  // getchar() would have lines of a header
    }
    return 0;
}
