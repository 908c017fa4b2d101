// SPDX-License-Identifier: MIT
// TOTAL_MEM (10): the memory of the machine, from /proc/meminfo. write_total_mem in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u64 kib
struct TotalMemory {
    std::uint64_t kib = 0;  // units of 1024 bytes

    // decode(in) fails (truncated) if the section is too short.
    static Result<TotalMemory> decode(Cursor in) {
        const TotalMemory memory{in.u64()};
        if (!in.ok()) return in.failure("the size of the memory");
        return memory;
    }
};

}  // namespace perfdata
