// SPDX-License-Identifier: MIT
// SWITCH (14): the recorded thread got a CPU, or lost it. Linux 4.3; perf_event_switch_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 trailer: only it has the thread, the time and the CPU
struct ContextSwitch {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::context_switch;
    static constexpr std::string_view record_name = "record SWITCH";
    static constexpr std::size_t min_bytes = 8;

    bool out = false;        // misc bit 13: it lost the CPU
    bool preempted = false;  // misc bit 14: while still runnable. Linux 4.17

    // decode(record, trailer_size) never fails.
    static Result<ContextSwitch> decode(const RecordView& record, std::size_t /*trailer_size*/) {
        const auto misc = record.header().misc;
        return ContextSwitch{.out = (misc >> 13 & 1) != 0, .preempted = (misc >> 14 & 1) != 0};
    }

    // fields(visit) visits the two bits of misc by their kernel names; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("switch_out", out);
        visit("switch_out_preempt", preempted);
    }
};

}  // namespace perfdata
