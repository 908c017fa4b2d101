// SPDX-License-Identifier: MIT
// ITRACE_START (12): instruction tracing began while this thread ran. Linux 4.1; perf_log_itrace_start in
// kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 tid . trailer
struct ItraceStart {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::itrace_start;
    static constexpr std::string_view record_name = "record ITRACE_START";
    static constexpr std::size_t min_bytes = 16;

    Pid pid;  // process of the traced thread
    Tid tid;  // the thread that ran on the CPU when its tracing began

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<ItraceStart> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        ItraceStart start;
        start.pid = {in.u32()};
        start.tid = {in.u32()};
        if (!in.ok()) return in.failure("the thread");
        return start;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("tid", tid.value);
    }
};

}  // namespace perfdata
