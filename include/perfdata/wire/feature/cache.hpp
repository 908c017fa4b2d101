// SPDX-License-Identifier: MIT
// CACHE (20): the caches of the CPUs. write_cache in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     u32 level . u32 line_size . u32 sets . u32 ways . string type . string size . string cpus
struct CpuCache {
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 28;
    static constexpr std::string_view what = "a cache";

    std::uint32_t level = 0;      // 1 for L1 and so on
    std::uint32_t line_size = 0;  // bytes
    std::uint32_t sets = 0;       // number_of_sets of sysfs
    std::uint32_t ways = 0;       // ways_of_associativity of sysfs
    std::string_view type;        // "Data", "Instruction", "Unified"; all strings live as long as the section
    std::string_view size;        // as the kernel prints it: "32K"
    std::string_view cpus;        // CPUs that share it, a list like "0-1"

    // read(in) reads one; the caller checks in.ok().
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
    static constexpr std::uint32_t known_version = 1;  // the only one so far

    std::uint32_t version = 0;     // known_version
    FeatureList<CpuCache> caches;  // each level and kind once for each group of CPUs that share one

    // decode(in): only known_version can be read.
    static Result<CpuCaches> decode(Cursor in) {
        const auto version = in.u32();
        if (!in.ok()) return in.failure("the version");
        if (version != known_version) return in.contradiction("version " + std::to_string(version) + "; 1 is known");
        return CpuCaches{version, FeatureList<CpuCache>(in)};
    }
};

}  // namespace perfdata
