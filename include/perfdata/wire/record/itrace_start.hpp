// SPDX-License-Identifier: MIT
// ITRACE_START (12): instruction tracing began while this thread ran. Linux 4.1; perf_log_itrace_start in
// kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 tid . trailer
struct ItraceStart {
    static constexpr auto type = RecordType::itrace_start;
    static constexpr std::string_view record_name = "record ITRACE_START";
    static constexpr std::size_t min_bytes = 16;

    Pid pid;
    Tid tid;

    static Result<ItraceStart> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        ItraceStart start;
        start.pid = {in.u32()};
        start.tid = {in.u32()};
        if (!in.ok()) return in.failure("the thread");
        return start;
    }

    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("tid", tid.value);
    }
};

}  // namespace perfdata
