// SPDX-License-Identifier: MIT
// SCHEDSTAT_DOMAIN (86): a line domainN of /proc/schedstat, read by perf sched stats. perf 7.0;
// perf_event__synthesize_schedstat in tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"
#include "perfdata/wire/record/schedstat_names.hpp"

namespace perfdata {

//      8 u64 timestamp . 16 u32 cpu . 20 u16 version . 22 u16 domain
//     24 u32 counters: 36 of version 15 and 16, 45 of version 17; room for 46 whatever the version
struct SchedstatDomain {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::schedstat_domain;
    static constexpr std::string_view record_name = "record SCHEDSTAT_DOMAIN";
    static constexpr std::size_t min_bytes = 24;

    std::uint64_t timestamp = 0;  // as in /proc/schedstat, in jiffies
    std::uint32_t cpu = 0;        // the CPU that the domain belongs to
    std::uint16_t version = 0;    // of /proc/schedstat
    std::uint16_t domain = 0;     // the N of its line domainN; 0 is the innermost
    // counters[i] is schedstat_domain_counter_name(version, i), counted from boot. For an unknown version it is
    // everything in the record. Lives as long as the record.
    ArrayView<std::uint32_t> counters;

    // `counters` have names: the version is one of 15, 16 and 17
    bool known() const { return schedstat_domain_counters(version) != 0; }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<SchedstatDomain> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        SchedstatDomain stat;
        stat.timestamp = in.u64();
        stat.cpu = in.u32();
        stat.version = in.u16();
        stat.domain = in.u16();
        stat.counters = take_array<std::uint32_t>(
            in, stat.known() ? schedstat_domain_counters(stat.version) : in.remaining() / sizeof(std::uint32_t));
        if (!in.ok()) return in.failure("the counters");
        return stat;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("timestamp", timestamp);
        visit("cpu", cpu);
        visit("version", version);
        visit("domain", domain);
        if (!known()) return visit("counters", counters);
        for (std::size_t index = 0; index < counters.size(); ++index) {
            visit(schedstat_domain_counter_name(version, index), counters[index]);
        }
    }
};

}  // namespace perfdata
