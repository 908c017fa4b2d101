// SPDX-License-Identifier: MIT
// NUMA_TOPOLOGY (14): the memory nodes and their CPUs. write_numa_topology in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     u32 node . u64 total . u64 free . string cpus
struct NumaNode {
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 24;
    static constexpr std::string_view what = "a NUMA node";

    std::uint32_t node = 0;       // its number
    std::uint64_t total_kib = 0;  // units of 1024 bytes
    std::uint64_t free_kib = 0;   // when the header was written
    std::string_view cpus;        // a list like "0-3,8"; lives as long as the section

    // read(in) reads one; the caller checks in.ok().
    static NumaNode read(Cursor& in) {
        NumaNode node;
        node.node = in.u32();
        node.total_kib = in.u64();
        node.free_kib = in.u64();
        node.cpus = read_feature_string(in);
        return node;
    }
};

//     u32 count . count x NumaNode, packed
using NumaTopologyReader = FeatureList<NumaNode>;

}  // namespace perfdata
