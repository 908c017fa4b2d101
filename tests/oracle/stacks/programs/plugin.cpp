// SPDX-License-Identifier: MIT
// A library that is loaded and unloaded: NAME is its function, BEFORE the code before it, so that two of these
// libraries have other code at the same addresses.
#include "work.hpp"

#define JOIN_(left, right) left##right
#define JOIN(left, right) JOIN_(left, right)

namespace {

[[gnu::noinline]] std::uint64_t inside(std::uint64_t steps) {
    for (int time = 0; time < BEFORE; ++time) work(steps / 8);
    work(steps);
    return sink;
}

}  // namespace

extern "C" [[gnu::noinline]] std::uint64_t JOIN(NAME, _call)(std::uint64_t steps,
                                                             std::uint64_t (*back)(std::uint64_t)) {
    volatile char frame[64 * (BEFORE + 1)];
    frame[3] = 1;
    work(50);
    const auto own = inside(steps);
    return own + back(steps) + static_cast<std::uint64_t>(frame[3]);
}

extern "C" std::uint64_t plugin_entry(std::uint64_t steps, std::uint64_t (*back)(std::uint64_t)) {
    const auto value = JOIN(NAME, _call)(steps, back);
    work(20);
    return value + 1;
}
