// SPDX-License-Identifier: MIT
// A program to record: direct, indirect and recursive calls, from several places each.
#include <cstdint>
#include <cstdlib>

namespace {

volatile std::uint64_t sink;

// Gives every function its own samples.
[[gnu::always_inline]] inline void work(std::uint64_t steps) {
    for (std::uint64_t step = 0; step < steps; ++step) sink = sink + step * step;
}

}  // namespace

extern "C" {

[[gnu::noinline]] void leaf(std::uint64_t steps) {
    work(steps);
}

[[gnu::noinline]] void detour(std::uint64_t steps) {
    work(steps);
    leaf(steps / 4);
    work(1);
}

[[gnu::noinline]] std::uint64_t nested(unsigned depth) {
    if (depth == 0) {
        leaf(2000);
        return sink;
    }
    const auto deeper = nested(depth - 1) + 1;
    work(500);
    return deeper;
}

void (*volatile choices[2])(std::uint64_t) = {leaf, detour};

[[gnu::noinline]] void pick(std::uint64_t number) {
    choices[number % 2](3000);
    work(500);
}

[[gnu::noinline]] void rounds(std::uint64_t count) {
    for (std::uint64_t round = 0; round < count; ++round) {
        pick(round);
        nested(3);
        leaf(500);
        work(500);
    }
}
}

int main(int count, char** arguments) {
    rounds(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000);
    return static_cast<int>(sink & 0);
}
