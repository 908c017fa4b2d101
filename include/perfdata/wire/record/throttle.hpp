// SPDX-License-Identifier: MIT
// THROTTLE (5) and UNTHROTTLE (6): the kernel stopped an event that was too frequent, and resumed it. perf_log_throttle
// in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 time . 16 u64 id . 24 u64 stream_id . trailer
template <RecordType Type>
struct ThrottleChange {
    static constexpr auto type = Type;  // in the record's header
    // In errors.
    static constexpr std::string_view record_name =
        Type == RecordType::throttle ? "record THROTTLE" : "record UNTHROTTLE";
    static constexpr std::size_t min_bytes = 32;  // with the header, without a trailer

    Time time;                    // when it happened; the trailer's time is the one to sort by
    EventId id;                   // of the event as it was opened
    std::uint64_t stream_id = 0;  // of the counter itself: different for an inherited one

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<ThrottleChange> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        ThrottleChange change;
        change.time = {in.u64()};
        change.id = {in.u64()};
        change.stream_id = in.u64();
        if (!in.ok()) return in.failure("the stream id");
        return change;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("time", time);
        visit("id", id.value);
        visit("stream_id", stream_id);
    }
};

using Throttle = ThrottleChange<RecordType::throttle>;      // the event was stopped
using Unthrottle = ThrottleChange<RecordType::unthrottle>;  // the event was resumed

}  // namespace perfdata
