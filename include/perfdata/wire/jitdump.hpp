// SPDX-License-Identifier: MIT
// jitdump files: jit-PID.dump, written by just-in-time compilers for perf inject --jit. Bytes to records; JitDump
// (timeline/jit_dump.hpp) reads files.
#pragma once

#include "perfdata/wire/jitdump/code_close.hpp"
#include "perfdata/wire/jitdump/code_load.hpp"
#include "perfdata/wire/jitdump/code_move.hpp"
#include "perfdata/wire/jitdump/debug_info.hpp"
#include "perfdata/wire/jitdump/header.hpp"
#include "perfdata/wire/jitdump/record.hpp"
#include "perfdata/wire/jitdump/unwinding_info.hpp"

namespace perfdata {

// with_jit_record_type(type, visit, otherwise) returns visit.operator()<R>() for the record R of a known type, else
// otherwise().
template <class Visit, class Otherwise>
decltype(auto) with_jit_record_type(std::uint32_t type, Visit&& visit, Otherwise&& otherwise) {
    switch (static_cast<JitRecordType>(type)) {
        case JitRecordType::code_load: return visit.template operator()<JitCodeLoad>();
        case JitRecordType::code_move: return visit.template operator()<JitCodeMove>();
        case JitRecordType::code_debug_info: return visit.template operator()<JitDebugInfo>();
        case JitRecordType::code_close: return visit.template operator()<JitCodeClose>();
        case JitRecordType::code_unwinding_info: return visit.template operator()<JitUnwindingInfo>();
    }
    return otherwise();
}

}  // namespace perfdata
