// SPDX-License-Identifier: MIT
// Places in code as they are counted: numbers, resolved to names later.
#pragma once

#include <cstdint>

#include "perfdata/core/types.hpp"
#include "perfdata/recording/hash_key.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

enum class FrameKind : std::uint8_t {
    code,     // a byte of one version of code: index is a CodeIndex, offset from its start
    object,   // a byte of a mapped object: index is an ObjectIndex, offset in its file (kernel: the address)
    jit,      // a byte of a JIT function: index as in JitCodes, offset from its start
    memory,   // memory of a process, not backed by a file: index is the pid, offset the address
    nowhere,  // index is a Miss, offset the address
};

// Frame is a place in code as the timeline knows it, the same for all times and processes that share the code.
struct Frame {
    std::uint64_t offset = 0;
    std::uint32_t index = 0;
    FrameKind kind = FrameKind::nowhere;
    CpuMode mode = CpuMode::unknown;  // mode of the CPU at this place
    // version of code that the kernel changed: the number of changes so far (see CodeVersions); all ones: that many or
    // more. The timeline leaves it 0.
    std::uint16_t version = 0;

    bool operator==(const Frame&) const = default;
    // Together these two words hold the whole frame, for hashing.
    std::uint64_t first_word() const { return offset; }
    std::uint64_t second_word() const {
        return std::uint64_t{version} << 48 | std::uint64_t{index} << 16 | static_cast<std::uint64_t>(kind) << 8 |
               static_cast<std::uint64_t>(mode);
    }
    std::uint64_t hash(const HashKey& key) const { return key(first_word(), second_word()); }
};

}  // namespace perfdata
