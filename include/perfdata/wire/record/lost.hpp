// SPDX-License-Identifier: MIT
// LOST (2): records that did not fit into the ring buffer. perf_output_begin in kernel/events/ring_buffer.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 id . 16 u64 lost . trailer
struct Lost {
    static constexpr auto type = RecordType::lost;
    static constexpr std::string_view record_name = "record LOST";
    static constexpr std::size_t min_bytes = 24;

    EventId id;
    std::uint64_t lost = 0;  // number of records of any type

    static Result<Lost> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Lost lost;
        lost.id = {in.u64()};
        lost.lost = in.u64();
        if (!in.ok()) return in.failure("the count");
        return lost;
    }

    template <class Visit>
    void fields(Visit&& visit) const {
        visit("id", id.value);
        visit("lost", lost);
    }
};

}  // namespace perfdata
