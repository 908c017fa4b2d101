// SPDX-License-Identifier: MIT
// What the programs of this folder share: work that gives a function samples of its own, and arguments.
#pragma once

#include <cstdint>
#include <cstdlib>

inline volatile std::uint64_t sink;

[[gnu::always_inline]] inline void work(std::uint64_t steps) {
    for (std::uint64_t step = 0; step < steps; ++step) sink = sink + step * step;
}

// Returns the argument at a position, or a default.
inline std::uint64_t number(int count, char** arguments, int at, std::uint64_t otherwise) {
    return at < count ? std::strtoull(arguments[at], nullptr, 10) : otherwise;
}
