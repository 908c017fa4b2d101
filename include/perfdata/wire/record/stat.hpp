// SPDX-License-Identifier: MIT
// STAT (76): one reading of a counter by perf stat. perf 4.5; perf_event__synthesize_stat in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 id . 16 u32 cpu . 20 u32 thread . 24 u64 val . 32 u64 ena . 40 u64 run
struct Stat {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::stat;
    static constexpr std::string_view record_name = "record STAT";
    static constexpr std::size_t min_bytes = 48;

    EventId id;                      // one of those of the counter's event
    std::uint32_t cpu = 0;           // all ones: any; perf before 5.17 wrote the index in the CPU map instead
    std::uint32_t thread = 0;        // index in THREAD_MAP
    std::uint64_t value = 0;         // a running total
    std::uint64_t time_enabled = 0;  // nanoseconds
    std::uint64_t time_running = 0;  // nanoseconds; less if the counter had to share its hardware

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Stat> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Stat stat;
        stat.id = {in.u64()};
        stat.cpu = in.u32();
        stat.thread = in.u32();
        stat.value = in.u64();
        stat.time_enabled = in.u64();
        stat.time_running = in.u64();
        if (!in.ok()) return in.failure("the values");
        return stat;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("id", id.value);
        visit("cpu", cpu);
        visit("thread", thread);
        visit("val", value);
        visit("ena", time_enabled);
        visit("run", time_running);
    }
};

}  // namespace perfdata
