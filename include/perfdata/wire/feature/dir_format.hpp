// SPDX-License-Identifier: MIT
// DIR_FORMAT (24): the layout of a directory recording. write_dir_format in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u64 version
struct DirFormat {
    static constexpr std::uint64_t single_file = 0;   // `data` holds all records
    static constexpr std::uint64_t record_files = 1;  // files data.* hold records too

    std::uint64_t version = 0;  // single_file or record_files

    // decode(in) fails (truncated) if the section is too short.
    static Result<DirFormat> decode(Cursor in) {
        const DirFormat format{in.u64()};
        if (!in.ok()) return in.failure("the version");
        return format;
    }
};

}  // namespace perfdata
