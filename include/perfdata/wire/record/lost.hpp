// SPDX-License-Identifier: MIT
// LOST (2): records that did not fit into the ring buffer. perf_output_begin in kernel/events/ring_buffer.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 id . 16 u64 lost . trailer
struct Lost {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::lost;
    static constexpr std::string_view record_name = "record LOST";
    static constexpr std::size_t min_bytes = 24;

    EventId id;              // the event that wrote next: records of other events of its ring buffer were lost, too
    std::uint64_t lost = 0;  // number of records of any type

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Lost> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Lost lost;
        lost.id = {in.u64()};
        lost.lost = in.u64();
        if (!in.ok()) return in.failure("the count");
        return lost;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("id", id.value);
        visit("lost", lost);
    }
};

}  // namespace perfdata
