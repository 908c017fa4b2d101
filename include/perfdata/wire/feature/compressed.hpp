// SPDX-License-Identifier: MIT
// COMPRESSED (27): how the recorder compressed records. write_compressed in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u32 version . 4 u32 type . 8 u32 level . 12 u32 ratio . 16 u32 mmap_len
struct CompressionInfo {
    static constexpr std::uint32_t none = 0;  // a `type`
    static constexpr std::uint32_t zstd = 1;  // a `type`

    std::uint32_t version = 0;   // 0 in all known files
    std::uint32_t type = 0;      // none, zstd
    std::uint32_t level = 0;     // perf record -z=level
    std::uint32_t ratio = 0;     // unpacked bytes per packed byte, rounded
    std::uint32_t mmap_len = 0;  // maximum unpacked size of one record, in bytes

    // decode(in) fails (truncated) if the section is too short.
    static Result<CompressionInfo> decode(Cursor in) {
        CompressionInfo info;
        info.version = in.u32();
        info.type = in.u32();
        info.level = in.u32();
        info.ratio = in.u32();
        info.mmap_len = in.u32();
        if (!in.ok()) return in.failure("the bound of a record's size");
        return info;
    }
};

// compression_name(type) returns "none" or "zstd"; empty if unknown.
constexpr std::string_view compression_name(std::uint32_t type) {
    if (type == CompressionInfo::none) return "none";
    return type == CompressionInfo::zstd ? "zstd" : std::string_view{};
}

}  // namespace perfdata
