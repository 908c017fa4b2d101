// SPDX-License-Identifier: MIT
// A program to record: exceptions in flight, in the unwinder, in destructors and in handlers. throws ROUNDS
#include <stdexcept>
#include <string>

#include "work.hpp"

namespace {

struct Guard {
    explicit Guard(std::uint64_t of) : steps(of) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    [[gnu::noinline]] ~Guard() { work(steps); }
    std::uint64_t steps;
};

[[gnu::noinline]] std::uint64_t fail(std::uint64_t round) {
    work(100);
    if (round % 5 == 0) return round;
    if (round % 3 == 0) throw std::runtime_error("round " + std::to_string(round));
    throw static_cast<int>(round);
}

[[gnu::noinline]] std::uint64_t nested(unsigned depth, std::uint64_t round) {
    const Guard guard(200);
    if (depth == 0) return fail(round);
    const auto below = nested(depth - 1, round);
    work(30);
    return below + depth;
}

[[gnu::noinline]] std::uint64_t again(std::uint64_t round) {
    const Guard guard(100);
    try {
        return nested(6, round);
    } catch (int value) {
        work(500);
        if (value % 2 == 0) throw;
        return static_cast<std::uint64_t>(value);
    }
}

[[gnu::noinline]] std::uint64_t caught(std::uint64_t round) {
    try {
        return again(round);
    } catch (const std::exception& error) {
        work(1000);
        return static_cast<unsigned char>(error.what()[0]);
    } catch (...) {
        work(500);
        return 0;
    }
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 10000);
    for (std::uint64_t round = 0; round < rounds; ++round) caught(round);
    return static_cast<int>(sink & 0);
}
