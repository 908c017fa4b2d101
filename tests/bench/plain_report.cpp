// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "plain_loops.hpp"
#include "plain_parts.hpp"

namespace perfdata::bench {
namespace {

class PlaceVisitor {
  public:
    static constexpr bool samples_only = true;

    explicit PlaceVisitor(const Opened& opened) : opened_(opened), comms_(opened.timeline) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const Moment moment{context.time, sample.pid().value_or(Pid{}), host};
        const auto comm = comms_.of(sample.tid().value_or(Tid{}), context.time);
        const auto frame = frames_.intern(frame_at(opened_.timeline, nullptr, moment, sample.ip().value_or(Address{}),
                                                   sample.mode(), &comms_.recent()));
        const auto place = places_.intern({comm, frame});
        if (place == periods_.size()) periods_.push_back(0);
        periods_[place] += sample.period();
        ++samples_;
    }

    PlainSums write() {
        InternTable<Frame> functions;
        InternTable<Two> rows;
        std::vector<std::uint32_t> function_of;
        for (const auto& frame : frames_.keys())
            function_of.push_back(functions.intern(opened_.symbolizer.function(frame)));
        std::vector<std::uint64_t> sums;
        std::uint64_t all = 0;
        for (std::uint32_t at = 0; at < periods_.size(); ++at) {
            const auto& place = places_[at];
            const auto row = rows.intern({place.one, function_of[place.other]});
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
    const Opened& opened_;
    Comms comms_;
    InternTable<Frame> frames_;
    InternTable<Two> places_;  // task and frame
    std::vector<std::uint64_t> periods_;
    std::uint64_t samples_ = 0;
};

}  // namespace

PlainSums plain_report(const std::string& path) {
    const Opened opened(path);
    PlaceVisitor visitor(opened);
    opened.walk_with(visitor);
    return visitor.write();
}

}  // namespace perfdata::bench
