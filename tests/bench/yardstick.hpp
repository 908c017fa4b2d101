// SPDX-License-Identifier: MIT
// The yardstick Y: the least that reading a recording can cost. Own code from the format, nothing of the library.
#pragma once

#include <cstdint>
#include <string>

#include "totals.hpp"

namespace perfdata::bench {

// Plan is what the yardstick is told instead of finding it out: where the records lie and where the fields of samples
// are. Offsets are from the start of a sample; 0 means not recorded. All events of the recording agree in them.
struct Plan {
    std::string path;
    std::uint64_t begin = 0, end = 0;
    std::size_t ip = 0, tid = 0, time = 0, period = 0, chain = 0;
};

// yardstick(plan): read(2) into a block of 256 KiB, walk headers, add up ip, tid, time, period and every word of the
// call chains. Little-endian files without payloads behind records only.
Totals yardstick(const Plan& plan);

// packed_yardstick(plan): the same of a recording made with -z: the compressed records are one zstd stream, unpacked to
// a block of 256 KiB. Counts all records, those that hold others too.
Totals packed_yardstick(const Plan& plan);

}  // namespace perfdata::bench
