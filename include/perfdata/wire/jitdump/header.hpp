// SPDX-License-Identifier: MIT
// The header of a jitdump file, in which a just-in-time compiler announces its code. See jitdump-specification.txt in
// tools/perf/Documentation.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//      0 u32 magic . 4 u32 version . 8 u32 total_size . 12 u32 elf_mach . 16 u32 0 . 20 u32 pid
//     24 u64 timestamp . 32 u64 flags . a later version's fields, up to total_size
struct JitDumpHeader {
    static constexpr std::size_t min_bytes = 40;        // size of version 1
    static constexpr std::uint32_t magic = 0x4a695444;  // "DTiJ" in a little-endian file, "JiTD" in a big-endian one
    static constexpr std::uint32_t known_version = 1;   // the highest that decode() accepts
    static constexpr std::uint64_t arch_timestamp_flag = 1;      // bit of `flags`
    static constexpr std::string_view where = "jitdump header";  // in errors

    AnyOrder order;                 // of the whole file
    std::uint32_t version = 0;      // known_version at most
    std::uint32_t size = 0;         // offset of the first record
    std::uint32_t elf_machine = 0;  // EM_* of ELF, as the compiler wrote it
    // The process as it saw itself: in a container this is not the number in the recording.
    std::uint32_t namespace_pid = 0;
    std::uint64_t timestamp = 0;  // start of the file, in the clock of its records
    std::uint64_t flags = 0;      // as written; only arch_timestamp_flag is known

    // arch_timestamps(): times are ticks of a CPU counter (the TSC), else ns of CLOCK_MONOTONIC.
    bool arch_timestamps() const { return (flags & arch_timestamp_flag) != 0; }
    // unknown_flags() returns the set bits that are not known here: times may mean something else then.
    std::uint64_t unknown_flags() const { return flags & ~arch_timestamp_flag; }

    // decode(bytes) reads the first min_bytes of a file. Errors: truncated, malformed (not a jitdump), unsupported.
    static Result<JitDumpHeader> decode(Bytes bytes) {
        JitDumpHeader header;
        if (bytes.size() < min_bytes) {
            return fail(ErrorCode::truncated, 0, std::string(where),
                        std::to_string(bytes.size()) + " bytes, a header has at least 40");
        }
        for (const auto order : {std::endian::little, std::endian::big}) {
            if (AnyOrder(order).load<std::uint32_t>(bytes.data()) == magic) header.order = AnyOrder(order);
        }
        Cursor in(bytes, header.order, {.where = where});
        if (in.u32() != magic) {
            return fail(ErrorCode::malformed, 0, std::string(where), "does not begin like a jitdump file");
        }
        header.version = in.u32();
        if (header.version > known_version) {
            return fail(ErrorCode::unsupported, 4, std::string(where),
                        "version " + std::to_string(header.version) + "; 1 is known");
        }
        header.size = in.u32();
        if (header.size < min_bytes) {
            return fail(ErrorCode::malformed, 8, std::string(where),
                        "a size of " + std::to_string(header.size) + " bytes, a header has at least 40");
        }
        header.elf_machine = in.u32();
        in.skip(4);
        header.namespace_pid = in.u32();
        header.timestamp = in.u64();
        header.flags = in.u64();
        return header;
    }
};

}  // namespace perfdata
