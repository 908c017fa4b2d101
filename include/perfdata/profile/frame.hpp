// SPDX-License-Identifier: MIT
// Places in code and chains of them as they are counted: numbers, to be named later.
#pragma once

#include <cstdint>

#include "perfdata/core/types.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

enum class FrameKind : std::uint8_t {
    code,     // a byte of one version of code: index is a CodeIndex, offset from its start
    object,   // a byte of a mapped object: index is an ObjectIndex, offset in its file (of the kernel: the address)
    nowhere,  // index is a Miss, offset the address
};

// Frame is a place as the timeline knows it.
struct Frame {
    std::uint64_t offset = 0;
    std::uint32_t index = 0;
    FrameKind kind = FrameKind::nowhere;
    CpuMode mode = CpuMode::unknown;  // in which the CPU was there

    bool operator==(const Frame&) const = default;
    std::uint64_t hash() const {
        return offset * 0x9ddfea08eb382d69u ^ (std::uint64_t{index} << 8 | static_cast<std::uint64_t>(kind) << 4 |
                                               static_cast<std::uint64_t>(mode));
    }
};

// ChainNode is a call chain: its innermost frame, and the chain of its callers. Chains with the same callers share
// these.
struct ChainNode {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t caller = none;  // number of a ChainNode that was made before
    std::uint32_t frame = 0;      // number of a Frame

    bool operator==(const ChainNode&) const = default;
    std::uint64_t hash() const { return std::uint64_t{caller} << 32 | frame; }
};

}  // namespace perfdata
