// SPDX-License-Identifier: MIT
// NRCPUS (7): the number of CPUs of the machine. write_nrcpus in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u32 available . 4 u32 online
struct CpuCounts {
    std::uint32_t available = 0;  // configured: CPU_TOPOLOGY has that many entries
    std::uint32_t online = 0;     // at the end of the recording

    // decode(in) reads both numbers. Errors: truncated, malformed (more CPUs online than available).
    static Result<CpuCounts> decode(Cursor in) {
        CpuCounts cpus;
        cpus.available = in.u32();
        cpus.online = in.u32();
        if (!in.ok()) return in.failure("the numbers of CPUs");
        if (cpus.online > cpus.available) {
            return in.contradiction(std::to_string(cpus.online) + " CPUs online of " + std::to_string(cpus.available));
        }
        return cpus;
    }
};

}  // namespace perfdata
