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
        : timeline_(timeline), options_(options), counted_(counted), recent_tasks_(timeline.tasks()) {}

    RecentTasks& recent_tasks() { return recent_tasks_; }

    // Passed is when and where a sample was taken.
    struct Passed {
        Moment moment;
        Tid tid;
        std::string_view comm;  // empty unless wanted: by pass(), or by the filter
    };

    // pass(context, sample, column, cell, with_comm, drop_code) counts a sample in the totals and returns it, or counts
    // it as dropped. drop_code(moment) returns the part of the filter that leaves out the sampled code.
    template <class Order, class DropCode>
    std::optional<Passed> pass(const RecordContext& context, const BasicSample<Order>& sample, std::size_t column,
                               const EventCount& cell, bool with_comm, DropCode&& drop_code) {
        const auto& filter = options_.filter;
        const auto drop = [&](FilterPart part) { return counted_.drop(part, column, cell); };
        if (drop(filter.drop_moment(context.time, sample.cpu()))) return {};
        counted_.consider(column, cell);
        Passed passed{{context.time, sample.pid().value_or(nobody), machine_of(sample)},
                      sample.tid().value_or(Tid{nobody.value}),
                      {}};
        const auto& [moment, tid, comm] = passed;
        if (with_comm || filter.needs_comm()) {
            passed.comm = recent_tasks_.comm_at(tid, context.time, moment.machine);
        }
        const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
        if (drop(filter.drop_task({comm, moment.pid, tid, cgroup}))) return {};
        // Counters of a group share the payload of the event that was sampled.
        if (drop(filter.drop_payload(context.event, sample, comm)) || drop(drop_code(moment))) return {};
        counted_.note_time(sample.time());
        counted_.count(column, cell);
        return passed;
    }

  private:
    template <class Order>
    Machine machine_of(const BasicSample<Order>& sample) const {
        const auto& tasks = timeline_.tasks();
        const auto id = tasks.has_guests() ? sample.id() : std::nullopt;
        return id ? tasks.machine_of(*id) : host;
    }

    const Timeline& timeline_;
    const SampleCountOptions& options_;
    CountedRows& counted_;
    RecentTasks recent_tasks_;
};

}  // namespace perfdata
