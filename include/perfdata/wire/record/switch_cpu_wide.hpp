// SPDX-License-Identifier: MIT
// SWITCH_CPU_WIDE (15): a CPU switched from one thread to another. Linux 4.3; perf_event_switch_output in
// kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 next_prev_pid . 12 u32 next_prev_tid . trailer
struct SwitchCpuWide {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::switch_cpu_wide;
    static constexpr std::string_view record_name = "record SWITCH_CPU_WIDE";
    static constexpr std::size_t min_bytes = 16;

    // The other thread: the next one if the trailer's thread lost the CPU (out), else the previous one. All ones if the
    // event may not see it; tid 0 is the idle thread.
    Pid other_pid;
    Tid other_tid;           // of the same thread
    bool out = false;        // misc bit 13
    bool preempted = false;  // misc bit 14: while still runnable. Linux 4.17

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<SwitchCpuWide> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        SwitchCpuWide change;
        change.other_pid = {in.u32()};
        change.other_tid = {in.u32()};
        change.out = (record.header().misc >> 13 & 1) != 0;
        change.preempted = (record.header().misc >> 14 & 1) != 0;
        if (!in.ok()) return in.failure("the thread");
        return change;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("next_prev_pid", other_pid.value);
        visit("next_prev_tid", other_tid.value);
        visit("switch_out", out);
        visit("switch_out_preempt", preempted);
    }
};

}  // namespace perfdata
