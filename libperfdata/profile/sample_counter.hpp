// SPDX-License-Identifier: MIT
// Counts the samples of a recording.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/profile/call_filter.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "chain_counter.hpp"
#include "counted_rows.hpp"
#include "frame_lookup.hpp"
#include "frame_numbers.hpp"
#include "kernel_epochs.hpp"
#include "place_counter.hpp"
#include "sample_gate.hpp"

namespace perfdata {

// Each sample costs one look-up for its task, and what its chain or its place costs:
//
//     sample -> SampleGate -> task -> ChainCounter or PlaceCounter -> CountedRows
class SampleCounter {
  public:
    static constexpr bool samples_only = true;

    // InCommon is what several counters of one recording share.
    struct InCommon {
        InCommon(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options)
            : epochs(timeline, options.versions),
              deferred(options.chains ? DeferredChains::read(recording, options.stop) : DeferredChains()) {}

        const KernelEpochs epochs;
        const DeferredChains deferred;
    };

    // All of them must outlive it.
    SampleCounter(const Recording& recording, const Timeline& timeline, const SampleCountOptions& options,
                  const InCommon& common)
        : options_(options),
          counters_(recording, &timeline.tasks()),
          counted_(recording, timeline, options),
          gate_(timeline, options, counted_),
          lookup_(timeline, options, gate_.recent_tasks()),
          frames_(options, counted_, inlined_of(options)) {
        if (options.chains) {
            const bool in_order = options.each || options.label || CounterSamples::are_in(recording.events());
            chains_.emplace(lookup_, common.epochs, frames_, counted_, options, common.deferred,
                            unwinder_for(recording, options), in_order);
        } else {
            places_.emplace(lookup_, common.epochs, frames_, counted_, options.stop);
        }
    }
    SampleCounter(const SampleCounter&) = delete;
    SampleCounter& operator=(const SampleCounter&) = delete;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        passes_.reset();
        if (chains_) chains_->begin_sample();
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            const auto column = counted_.column(event);
            if (column != CountedRows::not_counted) take(context, sample, column, {1, period});
        });
    }

    // Returns the progress of the walk.
    Progress progress() {
        if (!options_.progress) return {};
        return [this](std::uint64_t read, std::uint64_t total) {
            frames_.note_progress(read, total);
            options_.progress(read, total);
        };
    }

    // Counts what waits. Returns false if it was asked to stop.
    bool end() {
        if (frames_.stopped()) return false;
        if (places_) return places_->end();
        chains_->count_waiting();
        return !frames_.stopped();
    }
    // Behind end(): returns the counts of the options without those of a part. This is of no use then.
    SampleCounts finish(const SampleCountOptions& options) && {
        if (!gate_.considers()) counted_.count_all();
        return std::move(counted_).finish(options, counters_.losses());
    }

    CountedRows& counted() { return counted_; }
    const CountedRows& counted() const { return counted_; }
    // How many there are, of what limits bound.
    struct Sizes {
        std::size_t frames = 0, places = 0, nodes = 0, rows = 0;

        Sizes& operator+=(const Sizes& other) {
            frames += other.frames;
            places += other.places;
            nodes += other.nodes;
            rows += other.rows;
            return *this;
        }
        Sizes operator-(const Sizes& other) const {
            return {frames - other.frames, places - other.places, nodes - other.nodes, rows - other.rows};
        }
    };
    Sizes sizes() const {
        return {frames_.size(), places_ ? places_->places() : 0, counted_.chains().size(),
                counted_.rows().rows().size()};
    }
    FrameNumbers::InlinedBudget inlined_budget() const { return frames_.budget(); }
    std::size_t longest_chain() const { return chains_ ? chains_->longest() : 0; }  // without what was inlined

  private:
    template <class Order>
    void take(const RecordContext& context, const BasicSample<Order>& sample, std::size_t column,
              const EventCount& cell) {
        if (options_.only_calls != nullptr) {
            if (!passes_) passes_ = options_.only_calls->passes(sample);
            if (!*passes_) return;
        }
        const auto drop_code = [&](const Moment& moment) { return this->drop_code(sample, moment); };
        SampleGate::Passed passed;
        if (!gate_.pass(context, sample, column, cell, options_.by_comm, drop_code, passed)) return;
        const auto& moment = passed.moment;
        const auto label = options_.label ? options_.label(context.event, sample.raw(), moment) : 0u;
        if (label != 0) counted_.note_labelled();
        const auto who = task(sample, passed, label);
        if (chains_) return chains_->take(sample, moment, who, static_cast<std::uint32_t>(column), cell);
        places_->take(sample, moment, who, column, cell);
    }

    static Shared<StackUnwinder> unwinder_for(const Recording& recording, const SampleCountOptions& options) {
        const auto in_stack = [](const Event& event) { return event.sample.shape().callers_in_stack(); };
        if (!options.chains || options.functions == nullptr) return nullptr;
        return std::ranges::any_of(recording.events().events(), in_stack) ? options.functions->unwinder(options.stop)
                                                                          : nullptr;
    }

    FrameNumbers::AddInlined inlined_of(const SampleCountOptions& options) {
        if (!options.chains || !options.inlines || options.functions == nullptr) return {};
        return [this](std::uint32_t unfolded, bool returns, std::vector<Frame>& calls) {
            options_.functions->add_inlined(frames_[unfolded], returns, calls);
        };
    }

    template <class Order>
    std::uint32_t task(const BasicSample<Order>& sample, const SampleGate::Passed& passed, std::uint32_t label) {
        // Samples of one thread are mostly adjacent.
        const auto* const last = counted_.last_task();
        if (by_comm_alone_ && last != nullptr && last->comm.data() == passed.comm.data() && !passed.comm.empty())
            return counted_.last_task_number();
        const auto* const comm = options_.by_comm ? passed.comm.data() : nullptr;
        const bool unnamed = options_.by_comm && passed.comm.empty();
        const auto pid = options_.by_pid ? passed.moment.pid : Pid{};
        const auto tid = options_.by_tid || unnamed ? passed.tid : Tid{};
        const auto cpu = options_.by_cpu ? sample.cpu().value_or(SampleGate::nobody.value) : 0;
        const auto cgroup = options_.by_cgroup ? sample.details().cgroup().value_or(0) : 0;
        // Each member is compared as it is: a SampledTask that is copied or compared whole waits for what was just
        // written to parts of it.
        if (last != nullptr) {
            if (last->comm.data() == comm && last->pid == pid && last->tid == tid && last->cpu == cpu &&
                last->cgroup == cgroup && last->parent.data() == nullptr && last->label == label)
                return counted_.last_task_number();
        }
        return counted_.task({options_.by_comm ? passed.comm : std::string_view(), pid, tid, cpu, cgroup, {}, label},
                             1);
    }

    // Returns the part of the filter that leaves out the sampled code.
    template <class Order>
    FilterPart drop_code(const BasicSample<Order>& sample, const Moment& moment) {
        if (options_.functions == nullptr) return FilterPart::none;
        if (chains_) return frames_.left_out(chains_->number(sample, moment));
        const auto ip = sample.ip();
        const auto mode = sample.mode();
        return frames_.left_out(frames_.unfolded(ip ? lookup_.at(moment, *ip, mode) : FrameLookup::no_address(mode)));
    }

    const SampleCountOptions& options_;
    const bool by_comm_alone_ = options_.by_comm && !options_.label && !options_.by_pid && !options_.by_tid &&
                                !options_.by_cpu && !options_.by_cgroup;
    CounterSamples counters_;
    std::optional<bool> passes_;  // the current sample passes only_calls; empty: not asked
    CountedRows counted_;
    SampleGate gate_;
    FrameLookup lookup_;
    FrameNumbers frames_;
    std::optional<ChainCounter> chains_;  // with chains; else places_
    std::optional<PlaceCounter> places_;
};

}  // namespace perfdata
