// SPDX-License-Identifier: MIT
// JIT_CODE_LOAD (0): a function was compiled.
#pragma once

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/jitdump/record.hpp"

namespace perfdata {

//     16 u32 pid . 20 u32 tid . 24 u64 vma . 32 u64 code_addr . 40 u64 code_size . 48 u64 code_index
//     56 name, NUL-terminated . code_size bytes of code, which end with the record
//
// In the specification the code directly follows the name's NUL; perf takes the last code_size bytes of the record. The
// two agree unless the writer padded, and then perf's choice is the one that was tested with it.
struct JitCodeLoad {
    static constexpr auto type = JitRecordType::code_load;               // in the record's header
    static constexpr std::string_view record_name = "record CODE_LOAD";  // in errors
    static constexpr std::size_t fixed_bytes = 56;      // everything in front of the name, with the header
    static constexpr std::size_t longest_name = 65536;  // plus its NUL: a reader must hold that much of a longer record

    std::uint32_t namespace_pid = 0;  // as the process saw itself
    std::uint32_t namespace_tid = 0;  // the thread that compiled, as it saw itself
    Address vma;                      // unused: the address again, or 0
    AddressRange range;               // may be empty
    std::uint64_t index = 0;          // identifies the function in CODE_MOVE; each compilation has its own
    std::string_view name;            // any bytes; lives as long as the record's
    std::uint64_t code_at = 0;        // place of the range.size bytes of code in the file
    std::uint64_t padding = 0;        // bytes between the name's NUL and the code

    // held_bytes(header) returns how much of a record decode() needs; the caller may have to read it first.
    static std::uint64_t held_bytes(const JitRecordHeader& header) {
        return least<std::uint64_t>(header.size, fixed_bytes + longest_name);
    }

    // decode(record) needs the first held_bytes() of the record. Errors: truncated; malformed (the code or the name do
    // not fit).
    static Result<JitCodeLoad> decode(const JitRecordView& record) {
        Cursor in = record.body(record_name);
        JitCodeLoad load;
        load.namespace_pid = in.u32();
        load.namespace_tid = in.u32();
        load.vma = {in.u64()};
        load.range.begin = {in.u64()};
        load.range.size = in.u64();
        load.index = in.u64();
        if (!in.ok()) return in.failure("the fixed part");
        const std::uint64_t behind = record.header.size - fixed_bytes;
        if (load.range.size >= behind) {
            return in.contradiction(std::to_string(load.range.size) + " bytes of code and a name in " +
                                    std::to_string(behind) + " bytes");
        }
        const auto before_code = behind - load.range.size;
        Cursor name(in.bytes(least<std::uint64_t>(least<std::uint64_t>(before_code, in.remaining()), longest_name)),
                    record.order, {.where = record_name, .offset = record.offset + fixed_bytes});
        load.name = name.terminated_string();
        if (!name.ok()) return name.contradiction("the name does not end before the code, or is of 64 KiB");
        load.code_at = record.offset + record.header.size - load.range.size;
        load.padding = before_code - load.name.size() - 1;
        return load;
    }
};

}  // namespace perfdata
