// SPDX-License-Identifier: MIT
// CACHE (20): the caches of the CPUs. write_cache in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     u32 level . u32 line_size . u32 sets . u32 ways . string type . string size . string cpus
struct CpuCache {
    static constexpr std::size_t min_bytes = 28;
    static constexpr std::string_view what = "a cache";

    std::uint32_t level = 0;
    std::uint32_t line_size = 0;  // bytes
    std::uint32_t sets = 0;
    std::uint32_t ways = 0;
    std::string_view type;  // "Data", "Instruction", "Unified"; all strings live as long as the section
    std::string_view size;  // as the kernel prints it: "32K"
    std::string_view cpus;  // CPUs that share it, a list like "0-1"

    static CpuCache read(Cursor& in) {
        CpuCache cache;
        cache.level = in.u32();
        cache.line_size = in.u32();
        cache.sets = in.u32();
        cache.ways = in.u32();
        cache.type = read_feature_string(in);
        cache.size = read_feature_string(in);
        cache.cpus = read_feature_string(in);
        return cache;
    }
};

//     u32 version . u32 count . count x CpuCache, packed
struct CpuCaches {
    static constexpr std::uint32_t known_version = 1;

    std::uint32_t version = 0;
    FeatureList<CpuCache> caches;

    // decode(in): only known_version can be read.
    static Result<CpuCaches> decode(Cursor in) {
        const auto version = in.u32();
        if (!in.ok()) return in.failure("the version");
        if (version != known_version) return in.contradiction("version " + std::to_string(version) + "; 1 is known");
        return CpuCaches{version, FeatureList<CpuCache>(in)};
    }
};

}  // namespace perfdata
