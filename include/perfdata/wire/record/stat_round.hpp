// SPDX-License-Identifier: MIT
// STAT_ROUND (77): perf stat has read all counters once: the STAT records before this one. perf 4.5;
// perf_event__synthesize_stat_round in tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 type . 16 u64 time
struct StatRound {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::stat_round;
    static constexpr std::string_view record_name = "record STAT_ROUND";
    static constexpr std::size_t min_bytes = 24;

    // Kind is PERF_STAT_ROUND_TYPE__* of libperf: one of several readings (perf stat -I), or the last.
    enum class Kind : std::uint64_t { interval = 0, final = 1 };

    std::uint64_t kind = 0;  // Kind, or a newer perf's
    Time time;               // since the start of perf stat, not in the event clock

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<StatRound> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        StatRound round;
        round.kind = in.u64();
        round.time = {in.u64()};
        if (!in.ok()) return in.failure("the time");
        return round;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        visit("time", time);
    }
};

}  // namespace perfdata
