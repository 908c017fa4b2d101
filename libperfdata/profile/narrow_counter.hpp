// SPDX-License-Identifier: MIT
// Counts the samples of a few functions without looking up where all others fell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "counted_rows.hpp"

namespace perfdata {

// NarrowCounter counts all samples, as SampleCounter does without chains and tasks, but has rows only of those that may
// lie in `places`. Kernel addresses are compared before anything is looked up; other addresses are looked up to the
// mapping, and those in other files are done then. `perfdata annotate -s` of a function of libc takes half of the
// counting that way. Each sample costs one look-up at most; rows are within the limits of CountedRows.
class NarrowCounter {
  public:
    static constexpr bool samples_only = true;

    // SampleCountOptions::filter.code must be empty. All must outlive it.
    NarrowCounter(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options,
                  const CodePlaces& places)
        : timeline_(timeline),
          options_(options),
          places_(places),
          recent_tasks_(timeline.tasks()),
          counters_(recording, &timeline.tasks()),
          counted_(recording, timeline, options) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            const auto column = counted_.column(event);
            if (column != CountedRows::not_counted) take(context, sample, column, {1, period});
        });
    }

    // finish() returns the counts: totals of all samples, rows of those that may lie in the places.
    SampleCounts finish() && { return std::move(counted_).finish(options_, counters_.losses()); }

  private:
    static constexpr Pid nobody{~std::uint32_t{0}};

    // As SampleCounter::take(): whoever changes what counts there changes it here.
    template <class Order>
    void take(const RecordContext& context, const BasicSample<Order>& sample, std::size_t column,
              const EventCount& cell) {
        const auto& tasks = timeline_.tasks();
        const auto id = tasks.has_guests() ? sample.id() : std::nullopt;
        const Moment moment{context.time, sample.pid().value_or(nobody), id ? tasks.machine_of(*id) : host};
        const auto& filter = options_.filter;
        const auto drop = [&](FilterPart part) { return counted_.drop(part, column, cell); };
        if (drop(filter.drop_moment(context.time, sample.cpu()))) return;
        counted_.consider(column, cell);
        const auto tid = sample.tid().value_or(Tid{nobody.value});
        const auto comm =
            filter.needs_comm() ? recent_tasks_.comm_at(tid, context.time, moment.machine) : std::string_view();
        const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
        if (drop(filter.drop_task({comm, moment.pid, tid, cgroup}))) return;
        if (drop(filter.drop_payload(context.event, sample, comm))) return;
        counted_.note_time(sample.time());
        counted_.count(column, cell);
        const auto frame = frame_of(sample, moment);
        if (!frame) return;
        const auto number = counted_.frames().intern(*frame);
        const auto node = counted_.chains().intern({ChainNode::none, number});
        counted_.rows().add(counted_.row({counted_.task({}, 1), node}), column, cell);
    }

    // Returns where the sample fell if that may be in the places.
    template <class Order>
    std::optional<Frame> frame_of(const BasicSample<Order>& sample, const Moment& moment) {
        const auto ip = sample.ip();
        const auto mode = sample.mode();
        if (!ip) return {};
        const bool in_kernel = mode == CpuMode::kernel && moment.machine == host;
        if (in_kernel && !timeline_.ever_owned(*ip) && !places_.has_kernel(*ip)) return {};
        auto frame = frame_at(timeline_, nullptr, moment, *ip, mode, &recent_tasks_);
        if (in_kernel) {
            if (options_.versions != nullptr) {
                constexpr std::uint32_t most = 0xffff;
                frame.version =
                    static_cast<std::uint16_t>(std::min(options_.versions->number_at(*ip, moment.time), most));
            }
            return frame;
        }
        if (mode == CpuMode::user && frame.kind == FrameKind::object && !places_.objects[frame.index]) return {};
        return frame;
    }

    const Timeline& timeline_;
    const SampleCountOptions& options_;
    const CodePlaces& places_;
    RecentTasks recent_tasks_;
    CounterSamples counters_;
    CountedRows counted_;
};

}  // namespace perfdata
