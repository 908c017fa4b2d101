// SPDX-License-Identifier: MIT
// The sums that every loop computes, to catch a fast loop that reads wrongly.
#pragma once

#include <cstdint>

namespace perfdata::bench {

struct Totals {
    std::uint64_t records = 0;
    std::uint64_t samples = 0;
    std::uint64_t ips = 0, tids = 0, times = 0, periods = 0, chain_words = 0;  // sums, modulo 2^64

    bool operator==(const Totals&) const = default;
};

}  // namespace perfdata::bench
