// SPDX-License-Identifier: MIT
// Which samples count: one type for everything that counts or shows samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/shared.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/profile/payload_filter.hpp"
#include "perfdata/timeline/code_filter.hpp"

namespace perfdata {

// TimeRange includes both ends.
struct TimeRange {
    Time from;                     // its first nanosecond
    Time until = Time::forever();  // its last nanosecond

    bool contains(Time time) const { return time >= from && time <= until; }  // both ends are in it
    bool operator==(const TimeRange&) const = default;
};

// SampledBy is the task of a sample, as far as it is known.
struct SampledBy {
    std::string_view comm;                // empty: unknown
    Pid pid;                              // process; all ones: unknown
    Tid tid;                              // thread; all ones: unknown
    std::optional<std::uint64_t> cgroup;  // id of its cgroup; nothing: not recorded
};

// FilterPart names a part of a SampleFilter, in the order in which they apply. SampleFilter::payload has two: `payload`
// rejected a value, `no_value` found none.
enum class FilterPart : std::uint8_t {
    none,
    time,
    cpu,
    comm,
    pid,
    tid,
    cgroup,
    payload,
    no_value,
    kind,
    object,
    symbol,
    parent,
};
inline constexpr std::size_t filter_parts = 13;  // number of them

// filter_part(answer) returns the part of the filter that rejects a sample with that answer.
constexpr FilterPart filter_part(PayloadAnswer answer) {
    switch (answer) {
        case PayloadAnswer::passes: return FilterPart::none;
        case PayloadAnswer::rejected: return FilterPart::payload;
        case PayloadAnswer::no_value: return FilterPart::no_value;
    }
    return FilterPart::none;
}

// filter_part(part) returns the part of the filter that a part of its CodeFilter belongs to.
constexpr FilterPart filter_part(CodePart part) {
    switch (part) {
        case CodePart::none: return FilterPart::none;
        case CodePart::kind: return FilterPart::kind;
        case CodePart::object: return FilterPart::object;
        case CodePart::symbol: return FilterPart::symbol;
    }
    return FilterPart::none;
}

// SampleFilter passes a sample that passes every part; an empty part passes all. A set costs O(log n) per sample, a
// list O(n), `code` one comparison per name for each distinct place, and `payload` whatever it likes.
struct SampleFilter {
    std::vector<std::uint32_t> events;         // indices in recording.events(); counts have their columns in this order
    std::vector<TimeRange> times;              // a sample passes if any of them contains its time
    std::set<std::uint32_t> cpus;              // samples without a CPU do not pass
    std::set<std::string, std::less<>> comms;  // names of threads at the time of the sample
    std::set<std::uint32_t> pids, tids;        // of processes, of threads: as the recording numbers them
    // Ids, as in samples (PERF_SAMPLE_CGROUP) and in Tasks::cgroup(). Empty with `by_cgroup`: no sample passes.
    std::set<std::uint64_t> cgroups;
    bool by_cgroup = false;               // `cgroups` counts
    Shared<const PayloadFilter> payload;  // for what the event itself wrote: fields of tracepoints; null passes all
    CodeFilter code;                      // for the sampled address; callers do not matter

    // has_event(event) returns true if samples of that event may pass.
    bool has_event(std::uint32_t event) const {
        if (events.empty()) return true;
        for (const auto one : events) {
            if (one == event) return true;
        }
        return false;
    }
    // Returns true if somebody must find names of threads.
    bool needs_comm() const { return !comms.empty() || (payload && payload->needs_comm()); }
    // has_time(time) returns true if samples of that time may pass.
    bool has_time(Time time) const {
        if (times.empty()) return true;
        for (const auto& range : times) {
            if (range.contains(time)) return true;
        }
        return false;
    }

    // Return the first part that rejects a sample, or `none`. They test neither the event nor the code.
    FilterPart drop_moment(Time time, std::optional<std::uint32_t> cpu) const {
        if (!has_time(time)) return FilterPart::time;
        return cpus.empty() || (cpu && cpus.contains(*cpu)) ? FilterPart::none : FilterPart::cpu;
    }
    // The same for the task of a sample. Unknown values pass no part that is not empty.
    FilterPart drop_task(const SampledBy& by) const {
        if (!comms.empty() && !comms.contains(by.comm)) return FilterPart::comm;
        if (!pids.empty() && !pids.contains(by.pid.value)) return FilterPart::pid;
        if (!tids.empty() && !tids.contains(by.tid.value)) return FilterPart::tid;
        return !by_cgroup || (by.cgroup && cgroups.contains(*by.cgroup)) ? FilterPart::none : FilterPart::cgroup;
    }
    // The same for the data of a BasicSample of that event, by index in recording.events().
    template <class Sample>
    FilterPart drop_payload(std::uint32_t event, const Sample& sample, std::string_view comm) const {
        if (!payload) return FilterPart::none;
        return filter_part(payload->ask({event, sample.raw(), sample.cpu(), comm}));
    }
};

}  // namespace perfdata
