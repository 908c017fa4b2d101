// SPDX-License-Identifier: MIT
// JIT_CODE_MOVE (1): the code of a function was copied to another place, where it runs from now on.
#pragma once

#include "perfdata/wire/jitdump/record.hpp"

namespace perfdata {

//     16 u32 pid . 20 u32 tid . 24 u64 vma . 32 u64 old_code_addr . 40 u64 new_code_addr . 48 u64 code_size
//     56 u64 code_index
struct JitCodeMove {
    // The number in the header, and the name in errors.
    static constexpr auto type = JitRecordType::code_move;
    static constexpr std::string_view record_name = "record CODE_MOVE";

    std::uint32_t namespace_pid = 0;  // as the process saw itself
    std::uint32_t namespace_tid = 0;  // the thread that moved it, as it saw itself
    Address vma;                      // the new address again, or 0
    Address from;                     // where the code was: no longer valid
    AddressRange to;                  // may be empty
    std::uint64_t index = 0;          // JitCodeLoad::index of the function

    static std::uint64_t held_bytes(const JitRecordHeader&) { return 64; }  // all of it

    // decode(record) fails (truncated) if the record is too short.
    static Result<JitCodeMove> decode(const JitRecordView& record) {
        Cursor in = record.body(record_name);
        JitCodeMove move;
        move.namespace_pid = in.u32();
        move.namespace_tid = in.u32();
        move.vma = {in.u64()};
        move.from = {in.u64()};
        move.to.begin = {in.u64()};
        move.to.size = in.u64();
        move.index = in.u64();
        if (!in.ok()) return in.failure("the move");
        return move;
    }
};

}  // namespace perfdata
