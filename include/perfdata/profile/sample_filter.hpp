// SPDX-License-Identifier: MIT
// Which samples count: one value for everything that counts or shows samples.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/types.hpp"

namespace perfdata {

// DroppedBy says how many samples of the counted events each part of a filter left out. A sample that several parts
// would leave out counts for the first of them here.
struct DroppedBy {
    std::uint64_t time = 0, cpu = 0, comm = 0, pid = 0, tid = 0;
};

// SampleFilter: a sample passes if it passes every part; an empty part passes all. Each part costs log n a sample.
struct SampleFilter {
    std::vector<std::uint32_t> events;  // by index in recording.events(); what counts has its columns in this order
    std::set<std::string, std::less<>> comms;
    std::set<std::uint32_t> pids, tids;
    std::set<std::uint32_t> cpus;        // samples without a CPU do not pass
    Time from, until = Time::forever();  // until is included

    bool has_event(std::uint32_t event) const {
        if (events.empty()) return true;
        for (const auto one : events) {
            if (one == event) return true;
        }
        return false;
    }
    bool needs_comm() const { return !comms.empty(); }

    // drop_moment(...) and drop_task(...) return the count of the part that leaves a sample out; null: it passes. The
    // event is not looked at. comm: empty if not known.
    std::uint64_t* drop_moment(DroppedBy& dropped, Time time, std::optional<std::uint32_t> cpu) const {
        if (time < from || time > until) return &dropped.time;
        return cpus.empty() || (cpu && cpus.contains(*cpu)) ? nullptr : &dropped.cpu;
    }
    std::uint64_t* drop_task(DroppedBy& dropped, std::string_view comm, Pid pid, Tid tid) const {
        if (!comms.empty() && !comms.contains(comm)) return &dropped.comm;
        if (!pids.empty() && !pids.contains(pid.value)) return &dropped.pid;
        return tids.empty() || tids.contains(tid.value) ? nullptr : &dropped.tid;
    }
    // passes(...) is both in one, for who does not count what is dropped.
    bool passes(Time time, std::optional<std::uint32_t> cpu, std::string_view comm, Pid pid, Tid tid) const {
        DroppedBy dropped;
        return drop_moment(dropped, time, cpu) == nullptr && drop_task(dropped, comm, pid, tid) == nullptr;
    }
};

}  // namespace perfdata
