// SPDX-License-Identifier: MIT
// Places in code as they are counted: numbers, resolved to names later.
#pragma once

#include <cstdint>
#include <string_view>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/hash_key.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// Miss is why nothing is known to have lain at an address.
enum class Miss : std::uint8_t {
    no_address,       // the event records no ip
    user,             // code of a process, where only code that came and went was asked for
    unknown_process,  // code of a process that no record mentions
    no_mapping,       // code of a process that had nothing mapped there
    kernel,           // kernel or module text, in none of the recorded mappings
    gone,             // kernel address whose code came later or had gone by then
    hypervisor,
    guest,
    unknown_mode,  // the sample does not say in which mode the CPU was, and nothing known lies there
    not_kept,      // there were more distinct places than Limits::places: this one was not told apart
};

// to_string(miss) is a sentence part for users.
PERFDATA_EXPORT std::string_view to_string(Miss miss);

// FrameKind is what Frame::index and Frame::offset mean.
enum class FrameKind : std::uint8_t {
    code,     // a byte of one version of code: index is a CodeIndex, offset from its start
    object,   // a byte of a mapped object: index is an ObjectIndex, offset in its file (kernel: the address)
    jit,      // a byte of a JIT function: index as in JitCodes, offset from its start
    memory,   // memory of a process, not backed by a file: index is the pid, offset the address
    inlined,  // a function that the compiler inlined: index is the ObjectIndex, offset identifies it in that object
    nowhere,  // index is a Miss, offset the address
};

// Frame is a place in code as the timeline knows it, the same for all times and processes that share the code.
struct Frame {
    std::uint64_t offset = 0;             // bytes or an address, as `kind` says
    std::uint32_t index = 0;              // as `kind` says
    FrameKind kind = FrameKind::nowhere;  // what `index` and `offset` are
    CpuMode mode = CpuMode::unknown;      // mode of the CPU at this place
    // version of code that the kernel changed: the number of changes so far (see CodeVersions); all ones: that many or
    // more. The timeline leaves it 0.
    std::uint16_t version = 0;

    // Returns the frame of an address at which nothing is known to have lain.
    static Frame nowhere(Address address, Miss miss, CpuMode mode) {
        return {address.value, static_cast<std::uint32_t>(miss), FrameKind::nowhere, mode};
    }
    // Returns the frame of a byte in Timeline::code()[code].
    static Frame in_code(std::uint32_t code, std::uint64_t offset, CpuMode mode = CpuMode::kernel) {
        return {offset, code, FrameKind::code, mode};
    }
    bool is_nowhere() const { return kind == FrameKind::nowhere; }  // nothing is known to have lain there: see miss()
    // Valid if is_nowhere().
    Miss miss() const { return static_cast<Miss>(index); }
    bool misses(Miss reason) const { return is_nowhere() && miss() == reason; }
    bool is_code() const { return kind == FrameKind::code; }
    bool is_inlined() const { return kind == FrameKind::inlined; }

    bool operator==(const Frame&) const = default;
    // Together these two words hold the whole frame, for hashing.
    std::uint64_t first_word() const { return offset; }
    // The other one holds version, index, kind and mode.
    std::uint64_t second_word() const {
        return std::uint64_t{version} << 48 | std::uint64_t{index} << 16 | static_cast<std::uint64_t>(kind) << 8 |
               static_cast<std::uint64_t>(mode);
    }
    std::uint64_t hash(const HashKey& key) const { return key(first_word(), second_word()); }  // for tables of frames
};

}  // namespace perfdata
