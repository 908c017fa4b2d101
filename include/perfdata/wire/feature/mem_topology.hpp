// SPDX-License-Identifier: MIT
// MEM_TOPOLOGY (22): the blocks of physical memory of each node. write_mem_topology in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/bitmap.hpp"
#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     u64 node . u64 size . bitmap blocks
struct MemoryNode {
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 24;
    static constexpr std::string_view what = "a memory node";

    std::uint64_t node = 0;  // its number
    std::uint64_t size = 0;  // number of blocks up to the node's last one, set or not
    FeatureBitmap blocks;    // its own blocks; lives as long as the section

    // read(in) reads one; the caller checks in.ok().
    static MemoryNode read(Cursor& in) {
        MemoryNode node;
        node.node = in.u64();
        node.size = in.u64();
        node.blocks = FeatureBitmap::read(in);
        return node;
    }
};

//     0 u64 version . 8 u64 block_size . 16 u64 count . count x MemoryNode, packed
struct MemoryTopology {
    static constexpr std::uint64_t known_version = 1;  // the only one so far

    std::uint64_t version = 0;      // known_version
    std::uint64_t block_size = 0;   // bytes
    FeatureList<MemoryNode> nodes;  // nodes that have memory, in order of their numbers

    // decode(in): only known_version can be read.
    static Result<MemoryTopology> decode(Cursor in) {
        const auto version = in.u64();
        if (in.ok() && version != known_version) {
            return in.contradiction("version " + std::to_string(version) + "; 1 is known");
        }
        const auto block_size = in.u64();
        const auto count = in.u64();
        if (!in.ok()) return in.failure("version, block size and count");
        return MemoryTopology{version, block_size, {in, count}};
    }
};

}  // namespace perfdata
