// SPDX-License-Identifier: MIT
// A program to record: the kernel's code in the process (vdso). clocks ROUNDS
#include <ctime>
#include <sys/time.h>

#include "work.hpp"

namespace {

[[gnu::noinline]] std::uint64_t now(unsigned depth) {
    if (depth != 0) {
        const auto below = now(depth - 1);
        work(1);
        return below + 1;
    }
    timespec time{};
    timeval day{};
    for (int again = 0; again < 20; ++again) {
        clock_gettime(CLOCK_MONOTONIC, &time);
        gettimeofday(&day, nullptr);
    }
    return static_cast<std::uint64_t>(time.tv_nsec) + static_cast<std::uint64_t>(std::time(nullptr));
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 100000);
    for (std::uint64_t round = 0; round < rounds; ++round) sink = sink + now(3);
    return static_cast<int>(sink & 0);
}
