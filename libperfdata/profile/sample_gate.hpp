// SPDX-License-Identifier: MIT
// Decides which samples count.
#pragma once

#include <optional>
#include <string_view>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "counted_rows.hpp"

namespace perfdata {

// SampleGate asks the filter of the options, part by part, and counts what each drops. It remembers recent tasks.
class SampleGate {
  public:
    static constexpr Pid nobody{~std::uint32_t{0}};  // of samples without an id

    // All must outlive it.
    SampleGate(const Timeline& timeline, const SampleCountOptions& options, CountedRows& counted)
        : timeline_(timeline),
          options_(options),
          counted_(counted),
          recent_tasks_(timeline.tasks()),
          has_guests_(timeline.tasks().has_guests()),
          by_moment_(!options.filter.times.empty() || !options.filter.cpus.empty()),
          by_task_(options.filter.by_cgroup || !options.filter.comms.empty() || !options.filter.pids.empty() ||
                   !options.filter.tids.empty()),
          by_payload_(options.filter.payload),
          by_code_(!options.filter.code.empty()),
          considers_(by_task_ || by_payload_ || by_code_) {}

    // Returns whether what is considered was counted; else it is what counts.
    bool considers() const { return considers_; }

    RecentTasks& recent_tasks() { return recent_tasks_; }

    // Passed is when and where a sample was taken.
    struct Passed {
        Moment moment;
        Tid tid;
        std::string_view comm;  // empty unless wanted: by pass(), or by the filter
    };

    // pass(context, sample, column, cell, with_comm, drop_code, passed) counts a sample in the totals, fills `passed`
    // and returns true, or counts it as dropped. drop_code(moment) returns the part of the filter that leaves out the
    // sampled code. Inlined: with that, and without copies of what waits in PlaceCounter, a report takes 0.95 of the
    // instructions. A std::optional as the result would be copied whole, and wait for what was just written to parts of
    // it.
    template <class Order, class DropCode>
    [[gnu::always_inline]] bool pass(const RecordContext& context, const BasicSample<Order>& sample, std::size_t column,
                                     const EventCount& cell, bool with_comm, DropCode&& drop_code, Passed& passed) {
        const auto& filter = options_.filter;
        const auto drop = [&](FilterPart part) { return counted_.drop(part, column, cell); };
        if (by_moment_ && drop(filter.drop_moment(context.time, sample.cpu()))) return false;
        if (considers_) counted_.consider(column, cell);
        auto& [moment, tid, comm] = passed;
        moment.time = context.time;
        moment.pid = sample.pid().value_or(nobody);
        moment.machine = machine_of(sample);
        tid = sample.tid().value_or(Tid{nobody.value});
        if (with_comm || filter.needs_comm()) comm = recent_tasks_.comm_at(tid, context.time, moment.machine);
        if (by_task_) {
            const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
            if (drop(filter.drop_task({comm, moment.pid, tid, cgroup}))) return false;
        }
        // Counters of a group share the payload of the event that was sampled.
        if (by_payload_ && drop(filter.drop_payload(context.event, sample, comm))) return false;
        if (by_code_ && drop(drop_code(moment))) return false;
        counted_.note_time(sample.time());
        counted_.count(column, cell);
        return true;
    }

  private:
    template <class Order>
    Machine machine_of(const BasicSample<Order>& sample) const {
        const auto id = has_guests_ ? sample.id() : std::nullopt;
        return id ? timeline_.tasks().machine_of(*id) : host;
    }

    const Timeline& timeline_;
    const SampleCountOptions& options_;
    CountedRows& counted_;
    RecentTasks recent_tasks_;
    // Most options leave these parts of the filter empty.
    const bool has_guests_, by_moment_, by_task_, by_payload_, by_code_, considers_;
};

}  // namespace perfdata
