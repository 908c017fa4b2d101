// SPDX-License-Identifier: MIT
// JIT_CODE_CLOSE (3): the compiler announces no more code. Its code may continue to run.
#pragma once

#include "perfdata/wire/jitdump/record.hpp"

namespace perfdata {

// JitCodeClose has no fields.
struct JitCodeClose {
    // The number in the header, and the name in errors.
    static constexpr auto type = JitRecordType::code_close;
    static constexpr std::string_view record_name = "record CODE_CLOSE";

    static std::uint64_t held_bytes(const JitRecordHeader&) { return JitRecordHeader::bytes; }  // only the header
    static Result<JitCodeClose> decode(const JitRecordView&) { return JitCodeClose{}; }         // never fails
};

}  // namespace perfdata
