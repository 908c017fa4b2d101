// SPDX-License-Identifier: MIT
// The common beginning of all records of a jitdump file.
#pragma once

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

// JitRecordType has the numbers of jitdump-specification.txt.
enum class JitRecordType : std::uint32_t {
    code_load = 0,
    code_move = 1,
    code_debug_info = 2,
    code_close = 3,
    code_unwinding_info = 4,
};

// jit_record_type_name(type) returns the specification's name without JIT_, empty if the type is unknown.
constexpr std::string_view jit_record_type_name(std::uint32_t type) {
    constexpr std::string_view names[] = {"CODE_LOAD", "CODE_MOVE", "CODE_DEBUG_INFO", "CODE_CLOSE",
                                          "CODE_UNWINDING_INFO"};
    return type < std::size(names) ? names[type] : std::string_view{};
}

//     0 u32 id . 4 u32 total_size, with these 16 bytes . 8 u64 timestamp
struct JitRecordHeader {
    static constexpr std::size_t bytes = 16;  // size on disk

    std::uint32_t type = 0;       // a JitRecordType, or one of a later version
    std::uint32_t size = 0;       // at least `bytes` in a record that can be framed
    std::uint64_t timestamp = 0;  // when it was written; the unit depends on JitDumpHeader::arch_timestamps()

    // Valid if `at` has `bytes` bytes.
    static JitRecordHeader load(const std::byte* at, AnyOrder order) {
        return {order.load<std::uint32_t>(at), order.load<std::uint32_t>(at + 4), order.load<std::uint64_t>(at + 8)};
    }
};

// JitRecordView is one record, or its beginning: of a long record the reader holds only what the fields and the name
// need. Records are unaligned.
struct JitRecordView {
    JitRecordHeader header;    // decoded; its size is that of the whole record
    Bytes bytes;               // from the record's first byte; at most header.size
    std::uint64_t offset = 0;  // of the record in the file
    AnyOrder order;            // that of the file

    // body(where) returns a cursor behind the header.
    Cursor body(std::string_view where) const {
        Cursor in(bytes.first(least<std::size_t>(bytes.size(), header.size)), order,
                  {.where = where, .offset = offset});
        in.skip(JitRecordHeader::bytes);
        return in;
    }
};

}  // namespace perfdata
