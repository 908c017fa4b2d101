// SPDX-License-Identifier: MIT
// HEADER_EVENT_TYPE (65): the name of an event, in pipe streams of perf before 3.13.
#pragma once

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 u64 event_id . 16 name, padded to 8 but not always with a NUL, at most 64 bytes, to the end of the record
struct HeaderEventType {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::header_event_type;
    static constexpr std::string_view record_name = "record HEADER_EVENT_TYPE";
    static constexpr std::size_t min_bytes = 16;

    std::uint64_t event_id = 0;  // attr.config of the event, not an EventId
    std::string_view name;       // lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<HeaderEventType> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        HeaderEventType event;
        event.event_id = in.u64();
        if (!in.ok()) return in.failure("the event");
        event.name = take_text(in, least<std::size_t>(in.remaining(), 64));
        return event;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("event_id", event_id);
        visit("name", name);
    }
};

}  // namespace perfdata
