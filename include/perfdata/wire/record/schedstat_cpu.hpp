// SPDX-License-Identifier: MIT
// SCHEDSTAT_CPU (85): a line cpuN of /proc/schedstat, read by perf sched stats. perf 7.0;
// perf_event__synthesize_schedstat in tools/perf/util/synthetic-events.c.
#pragma once

#include <optional>

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 timestamp . 16 u32 cpu . 20 u16 version . 22 u16 0
//     24 version 15, 16, 17:  u32 yld_count, array_exp, sched_count, sched_goidle, ttwu_count, ttwu_local .
//                             48 u64 rq_cpu_time, run_delay, pcount
struct SchedstatCpu {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::schedstat_cpu;
    static constexpr std::string_view record_name = "record SCHEDSTAT_CPU";
    static constexpr std::size_t min_bytes = 24;

    // Counters count from boot. The names are the kernel's: Documentation/scheduler/sched-stats.rst.
    struct Counters {
        // How often sched_yield() was called, always 0, how often schedule() was called and left the CPU idle, how
        // often try_to_wake_up() was called and woke a task on this CPU.
        std::uint32_t yld_count = 0, array_exp = 0, sched_count = 0, sched_goidle = 0, ttwu_count = 0, ttwu_local = 0;

        std::uint64_t rq_cpu_time = 0;  // nanoseconds that tasks ran
        std::uint64_t run_delay = 0;    // nanoseconds that tasks waited
        std::uint64_t pcount = 0;       // number of time slices that tasks ran
    };

    std::uint64_t timestamp = 0;       // as in /proc/schedstat, in jiffies
    std::uint32_t cpu = 0;             // the N of its line cpuN
    std::uint16_t version = 0;         // of /proc/schedstat
    std::optional<Counters> counters;  // for versions 15, 16 and 17
    Bytes unknown;                     // for other versions

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<SchedstatCpu> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        SchedstatCpu stat;
        stat.timestamp = in.u64();
        stat.cpu = in.u32();
        stat.version = in.u16();
        in.skip(2);
        if (stat.version >= 15 && stat.version <= 17) {
            Counters counters;
            counters.yld_count = in.u32();
            counters.array_exp = in.u32();
            counters.sched_count = in.u32();
            counters.sched_goidle = in.u32();
            counters.ttwu_count = in.u32();
            counters.ttwu_local = in.u32();
            counters.rq_cpu_time = in.u64();
            counters.run_delay = in.u64();
            counters.pcount = in.u64();
            stat.counters = counters;
        }
        if (!in.ok()) return in.failure("the counters");
        if (!stat.counters) stat.unknown = in.rest();
        return stat;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("timestamp", timestamp);
        visit("cpu", cpu);
        visit("version", version);
        if (!counters) return visit("data", unknown);
        visit("yld_count", counters->yld_count);
        visit("array_exp", counters->array_exp);
        visit("sched_count", counters->sched_count);
        visit("sched_goidle", counters->sched_goidle);
        visit("ttwu_count", counters->ttwu_count);
        visit("ttwu_local", counters->ttwu_local);
        visit("rq_cpu_time", counters->rq_cpu_time);
        visit("run_delay", counters->run_delay);
        visit("pcount", counters->pcount);
    }
};

}  // namespace perfdata
