// SPDX-License-Identifier: MIT
// The yardstick Y: the minimum cost of reading a recording. Independent code written from the format, not from the
// library.
#pragma once

#include <cstdint>
#include <string>

#include "totals.hpp"

namespace perfdata::bench {

// Plan contains what the yardstick does not detect itself: the range of the records and the offsets of sample fields,
// from the start of a sample; 0 means not recorded. All events of the recording must agree.
struct Plan {
    std::string path;
    std::uint64_t begin = 0, end = 0;
    std::size_t ip = 0, tid = 0, time = 0, period = 0, chain = 0;
};

// yardstick(plan): read(2) into a block of 256 KiB, walk headers, sum ip, tid, time, period and every word of the call
// chains. Little-endian files without payloads behind records only.
Totals yardstick(const Plan& plan);

// packed_yardstick(plan): the same for a recording made with -z. The compressed records are one zstd stream, unpacked
// to a block of 256 KiB. Counts all records, including those that contain others.
Totals packed_yardstick(const Plan& plan);

}  // namespace perfdata::bench
