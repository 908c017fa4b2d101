// SPDX-License-Identifier: MIT
#include "tasks.hpp"

#include <algorithm>
#include <stdexcept>

#include "perfdata/recording/walk.hpp"

#include "plain_decode.hpp"

namespace perfdata::bench {
namespace {

Recording open(const std::string& path) {
    auto recording = Recording::open(path);
    if (!recording) throw std::runtime_error(recording.error().message());
    return *std::move(recording);
}

// Sum is a visitor that sums the fields of samples; periods only if every event records them, like the yardstick.
class Sum {
  public:
    explicit Sum(const Recording& recording)
        : periods_(std::ranges::all_of(recording.events().events(),
                                       [](const Event& event) { return event.attr.has(sample_bit::period); })) {}

    template <class Order>
    void operator()(const RecordContext&, const BasicSample<Order>& sample) {
        if (const auto ip = sample.ip()) totals_.ips += ip->value;
        if (const auto tid = sample.tid()) totals_.tids += tid->value;
        if (const auto time = sample.time()) {
            totals_.times += time->nanoseconds;
            backward_ = backward_ || *time < latest_;
            latest_ = *time;
        }
        if (periods_) totals_.periods += sample.period();
        if (const auto chain = sample.callchain()) {
            for (const auto word : *chain) totals_.chain_words += word;
        }
    }

    // totals(completeness) adds the counts that the walk maintains anyway.
    Totals totals(const Completeness& completeness) {
        for (const auto& [type, counts] : completeness.records) {
            totals_.records += counts.total();
            if (type == static_cast<std::uint32_t>(RecordType::sample)) totals_.samples += counts.decoded;
        }
        return totals_;
    }
    bool backward() const { return backward_; }

  private:
    bool periods_;
    bool backward_ = false;
    Time latest_;
    Totals totals_;
};

Totals iterate(const std::string& path) {
    const auto recording = open(path);
    Totals totals;
    auto stream = recording.records();
    RecordView record;
    while (stream.next(record)) {
        ++totals.records;
        totals.samples += record.type() == RecordType::sample;
    }
    return totals;
}

Totals decode(const std::string& path, RecordOrder order) {
    const auto recording = open(path);
    Completeness completeness;
    Sum sum(recording);
    if (auto walked = walk(recording, completeness, sum, {.order = order, .stop = {}, .progress = {}}); !walked) {
        throw std::runtime_error(walked.error().message());
    }
    if (order == RecordOrder::time && sum.backward()) throw std::runtime_error("a step back in time");
    return sum.totals(completeness);
}

Totals decode_in_file_order(const std::string& path) {
    return decode(path, RecordOrder::file);
}
Totals decode_in_time_order(const std::string& path) {
    return decode(path, RecordOrder::time);
}

}  // namespace

std::span<const Task> tasks() {
    static constexpr Task all[] = {{"iterate", 1.5, 1.4, iterate, false},
                                   {"decode", 2.0, 1.4, decode_in_file_order, true},
                                   {"plain decode", 0, 0, plain_decode, true, true},
                                   {"time order", 4.0, 4.0, decode_in_time_order, true},
                                   {"plain order", 0, 0, plain_order, true, true}};
    return all;
}

}  // namespace perfdata::bench
