// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "plain_loops.hpp"
#include "plain_parts.hpp"

namespace perfdata::bench {
namespace {

// PlaceVisitor counts samples by task and frame. Some wait until the memory of their places is there, as in the
// library.
class PlaceVisitor {
  public:
    static constexpr bool samples_only = true;

    explicit PlaceVisitor(const Opened& opened) : opened_(opened), comms_(opened.timeline) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto comm = comms_.of(sample.tid().value_or(Tid{}), context.time);
        const auto ip = sample.ip().value_or(Address{});
        auto& one = waiting_[number_waiting_++];
        one.period = sample.period();
        one.number = none;
        one.recent = nullptr;
        if (sample.mode() == CpuMode::kernel) {
            auto& recent = kernel_[ip.value * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
            if (recent.address == ip && recent.comm == comm) {
                one.number = recent.number;
            } else {
                recent = {ip, comm, none};
            }
            one.recent = &recent;
        }
        if (one.number == none) {
            const Moment moment{context.time, sample.pid().value_or(Pid{}), host};
            one.place = {frame_at(opened_.timeline, nullptr, moment, ip, sample.mode(), &comms_.recent()), comm};
            one.hash = places_.hash(one.place);
            places_.prefetch(one.hash);
        }
        if (number_waiting_ == waiting_.size()) count_waiting();
        ++samples_;
    }

    PlainSums write() {
        count_waiting();
        InternTable<Frame> functions;
        InternTable<Two> rows;
        std::vector<std::uint32_t> function_of;
        for (const auto& place : places_.keys())
            function_of.push_back(functions.intern(opened_.symbolizer.function(place.frame)));
        std::vector<std::uint64_t> sums;
        std::uint64_t all = 0;
        for (std::uint32_t at = 0; at < periods_.size(); ++at) {
            const auto& place = places_[at];
            const auto row = rows.intern({place.comm, function_of[at]});
            if (row == sums.size()) sums.push_back(0);
            sums[row] += periods_[at];
            all += periods_[at];
        }
        std::vector<std::uint32_t> order(rows.size());
        for (std::uint32_t at = 0; at < order.size(); ++at) order[at] = at;
        std::ranges::sort(order, std::ranges::greater(), [&](std::uint32_t row) { return sums[row]; });
        Page page;
        for (const auto row : order) {
            const auto label = label_of(opened_.symbolizer, functions[rows[row].other]);
            page.line("{:9.2f}%  {:<16}  {:<30}  {}", 100.0 * static_cast<double>(sums[row]) / static_cast<double>(all),
                      comms_.name(rows[row].one), label.object, label.symbol);
        }
        page.flush();
        return {samples_, rows.size(), page.lines()};
    }

  private:
    struct Place {
        Frame frame;
        std::uint32_t comm = 0;

        bool operator==(const Place&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), comm); }
    };
    struct Recent {
        Address address;
        std::uint32_t comm = 0, number = none;  // of the place
    };
    struct Waiting {
        Place place;
        std::uint64_t hash = 0, period = 0;
        Recent* recent = nullptr;     // receives the number
        std::uint32_t number = none;  // of the place, if known
    };

    void count_waiting() {
        const auto waiting = std::span(waiting_).first(std::exchange(number_waiting_, 0));
        for (const auto& one : waiting) {
            if (one.number == none) places_.prefetch_key(one.hash);
        }
        for (auto& one : waiting) {
            if (one.number != none) continue;
            one.number = places_.intern(one.place, one.hash);
            const bool is_its = one.recent != nullptr && one.recent->number == none &&
                                one.recent->comm == one.place.comm &&
                                one.recent->address.value == one.place.frame.offset;
            if (is_its) one.recent->number = one.number;
        }
        if (periods_.size() < places_.size()) periods_.resize(places_.size());
        for (const auto& one : waiting) __builtin_prefetch(&periods_[one.number], 1);
        for (const auto& one : waiting) periods_[one.number] += one.period;
    }

    static constexpr unsigned recent_bits = 12;

    const Opened& opened_;
    Comms comms_;
    std::vector<Recent> kernel_ = std::vector<Recent>(std::size_t{1} << recent_bits);
    InternTable<Place> places_;
    std::array<Waiting, 64> waiting_;
    std::size_t number_waiting_ = 0;
    std::vector<std::uint64_t> periods_;
    std::uint64_t samples_ = 0;
};

}  // namespace

PlainSums plain_report(const PlainInput& input) {
    const Opened opened(input.path);
    PlaceVisitor visitor(opened);
    opened.walk_with(visitor);
    return visitor.write();
}

}  // namespace perfdata::bench
