// SPDX-License-Identifier: MIT
// Call chains as nodes that share their callers.
#pragma once

#include <cstdint>

#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// ChainNode is a call chain: its innermost frame, and the chain of its callers. Chains with the same callers share
// these: see the drawing in chain_table.hpp.
struct ChainNode {
    static constexpr std::uint32_t none = ~std::uint32_t{0};  // no caller: the frame is outermost

    std::uint32_t caller = none;  // number of an earlier ChainNode
    std::uint32_t frame = 0;      // number of a Frame; may have returns_mark

    // With SampleCountOptions::mark_returns, `frame` has this bit if the frame is the address behind a call.
    static constexpr std::uint32_t returns_mark = std::uint32_t{1} << 31;

    bool operator==(const ChainNode&) const = default;

    // hash(key) returns the hash of both members.
    std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{caller} << 32 | frame); }
};

}  // namespace perfdata
