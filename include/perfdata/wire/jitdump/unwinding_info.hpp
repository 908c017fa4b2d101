// SPDX-License-Identifier: MIT
// JIT_CODE_UNWINDING_INFO (4): how to unwind the code that the next CODE_LOAD announces.
#pragma once

#include "perfdata/wire/jitdump/record.hpp"

namespace perfdata {

//     16 u64 unwinding_size . 24 u64 eh_frame_hdr_size . 32 u64 mapped_size . 40 unwinding_size bytes . padding
//
// In the specification the header (.eh_frame_hdr) precedes .eh_frame; perf writes ELF files as if it followed it.
struct JitUnwindingInfo {
    static constexpr auto type = JitRecordType::code_unwinding_info;               // in the record's header
    static constexpr std::string_view record_name = "record CODE_UNWINDING_INFO";  // in errors
    static constexpr std::size_t fixed_bytes = 40;  // everything in front of the data, with the header

    std::uint64_t size = 0;         // of the data
    std::uint64_t header_size = 0;  // of .eh_frame_hdr in them
    std::uint64_t mapped_size = 0;  // how much of the data the process has in memory after the code
    std::uint64_t data_at = 0;      // place of the data in the file

    // held_bytes(header): the data themselves are not needed.
    static std::uint64_t held_bytes(const JitRecordHeader&) { return fixed_bytes; }

    // decode(record) needs the first held_bytes() of the record. Errors: truncated; malformed (the sizes do not fit).
    static Result<JitUnwindingInfo> decode(const JitRecordView& record) {
        Cursor in = record.body(record_name);
        JitUnwindingInfo info;
        info.size = in.u64();
        info.header_size = in.u64();
        info.mapped_size = in.u64();
        if (!in.ok()) return in.failure("the fixed part");
        if (info.size > record.header.size - fixed_bytes || info.header_size > info.size) {
            return in.contradiction("unwinding data of " + std::to_string(info.size) + " bytes with a header of " +
                                    std::to_string(info.header_size) + " in " +
                                    std::to_string(record.header.size - fixed_bytes) + " bytes");
        }
        info.data_at = record.offset + fixed_bytes;
        return info;
    }
};

}  // namespace perfdata
