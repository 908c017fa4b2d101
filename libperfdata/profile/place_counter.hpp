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

// Each sample costs one look-up in the timeline and one in the table of places, or one among the recent places of the
// kernel. Places of one function are added up at the end:
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
        one.task = task;
        one.hits = cell.hits;
        one.periods = cell.periods;
        one.time = moment.time;
        one.pid = moment.pid;
        one.machine = moment.machine;
        one.mode = sample.mode();
        const auto ip = sample.ip();
        one.has_ip = ip.has_value();
        one.ip = ip.value_or(Address{});
        recent_kernel_.prefetch(one.ip);
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

    // Waiting is a sample that count_waiting() will count in places_. Its members are written one by one, and read as
    // they were written: what is copied whole waits for what was just written to parts of it.
    struct Waiting {
        Address ip;
        Time time;
        Pid pid;
        Machine machine;
        CpuMode mode = CpuMode::unknown;
        bool has_ip = false;
        std::uint32_t task = 0, column = 0;
        std::uint64_t hits = 0, periods = 0;
        // Once it was looked up:
        std::uint32_t number = none;  // of the place, if known; else:
        SampledPlace place;
        std::uint64_t hash = 0;  // of the place
        // For a kernel place: the cache entry that receives the number, unless it holds another key by then.
        RecentKernel::Entry* recent = nullptr;
        RecentKernel::Place key;
    };

    void look_up(Waiting& one) {
        const Moment moment{one.time, one.pid, one.machine};
        one.recent = nullptr;
        if (one.has_ip && FrameLookup::is_host_kernel(moment, one.mode)) {
            auto& recent = recent_kernel_.at(one.ip, one.time, one.task);
            one.number = recent.number;
            if (one.number != none) return;
            one.recent = &recent;
            one.key = recent.key;
        }
        one.number = none;
        one.place = {one.has_ip ? lookup_.at(moment, one.ip, one.mode) : FrameLookup::no_address(one.mode), one.task};
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
        for (auto& one : waiting) look_up(one);
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
        for (const auto& one : waiting) cells_.add(one.number, one.column, {one.hits, one.periods});
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
