// SPDX-License-Identifier: MIT
// f6 of truth.cpp in a shared library, which calls back.
#include <cstdint>

struct Way;

extern "C" {

void truth_next(Way& way);

void f6(Way& way);

[[gnu::noipa]] void f6(Way& way) {
    static volatile std::uint64_t sink;
    truth_next(way);
    sink = sink + 1;
}
}
