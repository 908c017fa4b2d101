// SPDX-License-Identifier: MIT
// JIT_CODE_DEBUG_INFO (2): source lines of the code that the next CODE_LOAD with this address announces.
#pragma once

#include <optional>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/jitdump/record.hpp"

namespace perfdata {

// JitDebugEntry: from this address on, code belongs to this line.
struct JitDebugEntry {
    Address address;  // of the running code; some compilers add the offset of the code in perf's ELF file, see JitCode
    std::uint32_t line = 0;           // as the compiler wrote it
    std::uint32_t discriminator = 0;  // column discriminator of the specification; 0 is its default
    std::string_view file;            // any bytes; lives as long as the record's
};

//     16 u64 code_addr . 24 u64 nr_entry . 32 entries . padding
//     entry: 0 u64 address . 8 u32 line . 12 u32 discriminator . 16 file, NUL-terminated; "\xff": that of the one
//     before
struct JitDebugInfo {
    static constexpr auto type = JitRecordType::code_debug_info;               // in the record's header
    static constexpr std::string_view record_name = "record CODE_DEBUG_INFO";  // in errors
    static constexpr std::size_t fixed_bytes = 32;         // everything in front of the entries, with the header
    static constexpr std::size_t least_entry = 17;         // bytes of an entry with an empty file name
    static constexpr std::string_view same_file = "\xff";  // a file name that stands for the one of the entry before

    Address code;                  // JitCodeLoad::range.begin of the code
    std::uint64_t count = 0;       // number of entries; they fit in the record
    std::optional<Address> first;  // address of the first entry, empty if there is none

    // held_bytes(header): up to the first entry's address.
    static std::uint64_t held_bytes(const JitRecordHeader& header) {
        return least<std::uint64_t>(header.size, fixed_bytes + sizeof(std::uint64_t));
    }

    // decode(record) needs the first held_bytes() of the record. Errors: truncated; malformed (more entries than fit).
    static Result<JitDebugInfo> decode(const JitRecordView& record) {
        Cursor in = record.body(record_name);
        JitDebugInfo info;
        info.code = {in.u64()};
        info.count = in.u64();
        if (!in.ok()) return in.failure("the fixed part");
        if (info.count > (record.header.size - fixed_bytes) / least_entry) {
            return in.contradiction(std::to_string(info.count) + " entries in " +
                                    std::to_string(record.header.size - fixed_bytes) + " bytes");
        }
        if (info.count != 0) info.first = Address{in.u64()};
        if (!in.ok()) return in.failure("the first entry");
        return info;
    }
};

// JitDebugEntries reads the entries of a complete record. File names are resolved: same_file is never returned.
class JitDebugEntries {
  public:
    // The record must be complete, and decode() have accepted it.
    explicit JitDebugEntries(const JitRecordView& record) : in_(record.body(JitDebugInfo::record_name)) {
        in_.skip(sizeof(std::uint64_t));
        left_ = in_.u64();
    }

    // next() returns the next entry, empty at the end. After an error the rest cannot be framed.
    Result<std::optional<JitDebugEntry>> next() {
        if (left_ == 0 && in_.ok()) return std::nullopt;
        --left_;
        JitDebugEntry entry;
        entry.address = {in_.u64()};
        entry.line = in_.u32();
        entry.discriminator = in_.u32();
        entry.file = in_.terminated_string();
        if (!in_.ok()) return in_.failure("a line entry");
        if (entry.file == JitDebugInfo::same_file) entry.file = file_;
        file_ = entry.file;
        return entry;
    }

  private:
    Cursor in_;
    std::uint64_t left_ = 0;
    std::string_view file_;
};

}  // namespace perfdata
