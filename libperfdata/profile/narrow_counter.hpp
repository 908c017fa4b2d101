// SPDX-License-Identifier: MIT
// Counts the samples of a few functions without looking up where all others fell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "counted_rows.hpp"
#include "frame_lookup.hpp"
#include "recent_frames.hpp"
#include "sample_gate.hpp"

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
          counters_(recording, &timeline.tasks()),
          counted_(recording, timeline, options),
          gate_(timeline, options, counted_),
          lookup_(timeline, options, gate_.recent_tasks()) {}
    NarrowCounter(const NarrowCounter&) = delete;
    NarrowCounter& operator=(const NarrowCounter&) = delete;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            const auto column = counted_.column(event);
            if (column != CountedRows::not_counted) take(context, sample, column, {1, period});
        });
    }

    // finish() returns the counts: totals of all samples, rows of those that may lie in the places.
    SampleCounts finish() && {
        if (!gate_.considers()) counted_.count_all();
        return std::move(counted_).finish(options_, counters_.losses());
    }

  private:
    template <class Order>
    void take(const RecordContext& context, const BasicSample<Order>& sample, std::size_t column,
              const EventCount& cell) {
        const auto all = [](const Moment&) { return FilterPart::none; };
        SampleGate::Passed passed;
        if (!gate_.pass(context, sample, column, cell, false, all, passed)) return;
        const auto frame = frame_of(sample, passed.moment);
        if (!frame) return;
        auto& recent = recent_.place(frame->offset);
        if (recent.number == Recent::none || !(recent.key == *frame)) recent = {*frame, row_of(*frame)};
        counted_.rows().add(recent.number, column, cell);
    }

    std::uint32_t row_of(const Frame& frame) {
        const auto number = counted_.frames().intern(frame);
        const auto node = counted_.chains().intern({ChainNode::none, number});
        return counted_.row({counted_.task({}, 1), node});
    }

    // Returns where the sample fell if that may be in the places.
    template <class Order>
    std::optional<Frame> frame_of(const BasicSample<Order>& sample, const Moment& moment) {
        const auto ip = sample.ip();
        const auto mode = sample.mode();
        if (!ip) return {};
        const bool in_kernel = FrameLookup::is_host_kernel(moment, mode);
        if (in_kernel && !timeline_.ever_owned(*ip) && !places_.has_kernel(*ip)) return {};
        const auto frame = lookup_.at(moment, *ip, mode);
        if (mode == CpuMode::user && frame.kind == FrameKind::object && !places_.objects[frame.index]) return {};
        return frame;
    }

    const Timeline& timeline_;
    const SampleCountOptions& options_;
    const CodePlaces& places_;
    CounterSamples counters_;
    CountedRows counted_;
    SampleGate gate_;
    FrameLookup lookup_;
    using Recent = RecentFrames<Frame>;
    Recent recent_;  // rows: most samples fall on few places
};

}  // namespace perfdata
