// SPDX-License-Identifier: MIT
// Counts samples by the place that was sampled, without call chains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"

#include "counted_rows.hpp"
#include "frame_lookup.hpp"
#include "frame_numbers.hpp"
#include "row_table.hpp"

namespace perfdata {

// SampledPlace is a frame that was sampled in a task.
struct SampledPlace {
    Frame frame;
    std::uint32_t task = 0;

    bool operator==(const SampledPlace&) const = default;
    std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), task); }
};

// Each sample costs one look-up in the timeline and one in the table of places. Places of one function are added up at
// the end:
//
//     frame -> places_ (task, frame) -> at the end: fold -> rows
class PlaceCounter {
  public:
    // All must outlive it.
    PlaceCounter(FrameLookup& lookup, const KernelEpochs& epochs, FrameNumbers& frames, CountedRows& counted,
                 const StopToken& stop)
        : lookup_(lookup),
          recent_kernel_(epochs),
          frames_(frames),
          counted_(counted),
          stop_(stop),
          cells_(counted.columns()) {}

    template <class Order>
    void take(const BasicSample<Order>& sample, const Moment& moment, std::uint32_t task, std::size_t column,
              const EventCount& cell) {
        auto& one = waiting_[waiting_number_++];
        one.column = static_cast<std::uint32_t>(column);
        one.cell = cell;
        place(sample, moment, task, one);
        if (waiting_number_ == most_waiting) count_waiting();
    }

    // Counts what waits, and makes the rows. Returns false if it was asked to stop.
    bool end() {
        count_waiting();
        return fold_places() && !frames_.stopped();
    }

    std::size_t places() const { return places_.size(); }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t most_waiting = 64;

    // Waiting is a sample that count_waiting() will count in places_.
    struct Waiting {
        std::uint32_t number = none;  // of the place, if known; else:
        SampledPlace place;
        std::uint64_t hash = 0;  // of the place
        // For a kernel place: the cache entry that receives the number, unless it holds another key by then.
        RecentKernel::Entry* recent = nullptr;
        RecentKernel::Place key;
        std::uint32_t column = 0;
        EventCount cell;
    };

    template <class Order>
    void place(const BasicSample<Order>& sample, const Moment& moment, std::uint32_t task, Waiting& one) {
        const auto mode = sample.mode();
        const auto ip = sample.ip();
        one.recent = nullptr;
        if (ip && FrameLookup::is_host_kernel(moment, mode)) {
            auto& recent = recent_kernel_.at(*ip, moment.time, task);
            one.number = recent.number;
            if (one.number != none) return;
            one.recent = &recent;
            one.key = recent.key;
        }
        one.number = none;
        one.place = {ip ? lookup_.at(moment, *ip, mode) : FrameLookup::no_address(mode), task};
        one.hash = places_.hash(one.place);
        places_.prefetch(one.hash);
    }

    std::uint32_t place_number(const SampledPlace& place, std::uint64_t hash) {
        const SampledPlace other{Frame::nowhere({}, Miss::not_kept, CpuMode::unknown), place.task};
        return places_.intern_within(counted_.most_places(), place, hash, other);
    }

    // The tables are larger than the cache: each step handles many samples while the memory of later ones is fetched.
    void count_waiting() {
        const std::span<Waiting> waiting(waiting_.data(), waiting_number_);
        for (const auto& one : waiting) {
            if (one.number == none) places_.prefetch_key(one.hash);
        }
        for (auto& one : waiting) {
            if (one.number != none) continue;
            one.number = place_number(one.place, one.hash);
            if (one.recent != nullptr && one.recent->key == one.key) one.recent->number = one.number;
        }
        cells_.resize(places_.size());
        for (const auto& one : waiting) cells_.prefetch(one.number);
        for (const auto& one : waiting) cells_.add(one.number, one.column, one.cell);
        waiting_number_ = 0;
    }

    // Folds each frame only once. That names them, and may take long: returns false if it was asked to stop.
    bool fold_places() {
        constexpr std::size_t places_a_look = 256;
        std::vector<std::uint32_t> node;  // by number of the folded frame
        const auto places = places_.keys();
        std::vector<std::uint32_t> row;  // by number of the place
        row.reserve(places.size());
        for (std::size_t number = 0; number < places.size(); ++number) {
            if (frames_.stopped() || (number % places_a_look == 0 && stop_.stop_requested())) return false;
            const auto folded = frames_.folded(frames_.unfolded(places[number].frame));
            if (node.size() <= folded) node.resize(counted_.frames().size(), none);
            if (node[folded] == none) node[folded] = counted_.chains().intern({ChainNode::none, folded});
            row.push_back(counted_.rows().number({places[number].task, node[folded]}));
        }
        cells_.each([&](std::uint32_t place, std::size_t column, const EventCount& cell) {
            counted_.rows().add(row[place], column, cell);
        });
        return true;
    }

    FrameLookup& lookup_;
    RecentKernel recent_kernel_;
    FrameNumbers& frames_;
    CountedRows& counted_;
    const StopToken& stop_;
    InternTable<SampledPlace> places_;
    CellTable cells_;  // by place and counted event
    std::array<Waiting, most_waiting> waiting_;
    std::size_t waiting_number_ = 0;  // how many of them wait
};

}  // namespace perfdata
