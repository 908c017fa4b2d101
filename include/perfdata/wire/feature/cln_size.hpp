// SPDX-License-Identifier: MIT
// CLN_SIZE (34): the size of a cache line. write_cln_size in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u32 bytes
struct CacheLineSize {
    std::uint32_t bytes = 0;  // 0: unknown

    // decode(in) fails (truncated) if the section is too short.
    static Result<CacheLineSize> decode(Cursor in) {
        const CacheLineSize line{in.u32()};
        if (!in.ok()) return in.failure("the size");
        return line;
    }
};

}  // namespace perfdata
