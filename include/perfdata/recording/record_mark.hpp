// SPDX-License-Identifier: MIT
// A place in a recording from which a stream can go on.
#pragma once

#include <cstdint>

namespace perfdata {

// RecordMark is a place between two records, with what framing must know of those before it.
struct RecordMark {
    std::uint64_t offset = 0;   // of the next record in the file
    std::uint16_t longest = 0;  // bytes of the longest record of the kernel's types before it
    bool aligned = true;        // all records before it began at multiples of 8

    bool operator==(const RecordMark&) const = default;
};

}  // namespace perfdata
