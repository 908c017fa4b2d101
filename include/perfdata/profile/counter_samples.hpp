// SPDX-License-Identifier: MIT
// Samples that carry counter values (PERF_SAMPLE_READ), as leader sampling records them: perf record -e '{a,b}:S'.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/tasks.hpp"
#include "perfdata/wire/sample.hpp"

namespace perfdata {

// CounterLosses counts the counter values that made no sample of their event, or one with an unknown period.
struct PERFDATA_EXPORT CounterLosses {
    std::uint64_t unknown = 0;    // of ids that belong to no event: no sample
    std::uint64_t went_back = 0;  // less than the value before: a sample with period 0
    // Of counters beyond CounterSamples::most_counters, or of one sample beyond most_in_sample: no sample.
    std::uint64_t not_kept = 0;

    // all() returns the number of values.
    std::uint64_t all() const { return unknown + went_back + not_kept; }
    // Adds the counts of the other one.
    CounterLosses& operator+=(const CounterLosses& other) {
        unknown += other.unknown;
        went_back += other.went_back;
        not_kept += other.not_kept;
        return *this;
    }
    bool operator==(const CounterLosses&) const = default;
    // problems() returns one for each kind that there is.
    std::vector<Error> problems() const;
};

// CounterSamples turns samples with counter values into samples of the counters. Values are running totals: a counter
// that grew since its last value has a sample of its event, whose period is the difference. The first value counts in
// full. Follows deliver_sample_group and deliver_sample_value in tools/perf/util/session.c. If an event is inherited,
// each of its threads counts for itself: perf 6.13 and later keep their values apart, too. With Tasks, a thread is a
// life of it, which begins with a FORK record: another thread of the same number begins anew. To perf, and without
// Tasks, a thread is its number, and the first value of the later thread is compared with the last one of the earlier.
//
//     sample of a  [ a: 100, b: 7 ]   ->   a: 100, b: 7
//     sample of a  [ a: 180, b: 7 ]   ->   a: 80
//
// The samples of one counter must come in order of time. Then each call takes constant time, whatever ids a file has.
class PERFDATA_EXPORT CounterSamples {
  public:
    // Values are kept of so many counters: of ids, or of threads of ids.
    static constexpr std::size_t most_counters = std::size_t{1} << 22;
    // So many values of one sample count. Users of a sample may do as much for each as the whole sample takes.
    static constexpr std::size_t most_in_sample = 256;

    // The recording and its tasks must outlive it. Its Limits::places bounds the counters as well.
    explicit CounterSamples(const Recording& recording, const Tasks* tasks = nullptr)
        : CounterSamples(recording.events(), least(most_counters, recording.limits().places), tasks) {}
    // The same of its events, with another limit.
    CounterSamples(const EventTable& events, std::size_t most, const Tasks* tasks = nullptr);

    // Returns true if some event has counter values in its samples, so that order matters.
    static bool are_in(const EventTable& events);

    // each(event, sample, time, take) calls take(event, period) for each sample that the sample stands for: itself,
    // unless it has counter values. `event` is an index in the table, `time` that of the record. A sample of an
    // inherited event takes log n for n threads in the recording.
    template <class Order, class Take>
    void each(std::uint32_t event, const BasicSample<Order>& sample, Time time, Take&& take) {
        if (!has_values_ || !reads_[event]) return take(event, sample.period());
        const auto values = sample.details().read();
        if (!values) return;
        const auto thread = inherits_[event] ? thread_of(sample.tid().value_or(Tid{}), sample.id(), time) : 0;
        const auto size = least(values->size(), most_in_sample);
        losses_.not_kept += values->size() - size;
        for (std::size_t index = 0; index < size; ++index) {
            const auto value = (*values)[index];
            const auto id = value.id || index != 0 ? value.id : sample.id();
            if (const auto step = advance(id, thread, value.value)) take(step->event, step->period);
        }
    }

    // losses() returns what went wrong so far.
    const CounterLosses& losses() const { return losses_; }

  private:
    struct Counter {
        std::uint64_t id = 0, thread = 0;  // thread: of thread_of(); 0 unless inherited

        bool operator==(const Counter&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(id, thread); }
    };
    struct Step {
        std::uint32_t event = 0;
        std::uint64_t period = 0;
    };

    // Returns a number for the life of a thread that the sample is of, which is not 0.
    std::uint64_t thread_of(Tid tid, std::optional<EventId> id, Time time) const;
    // Notes a counter's value; nothing if it has not grown, or the counter is unknown.
    std::optional<Step> advance(std::optional<EventId> id, std::uint64_t thread, std::uint64_t value);

    const EventTable& events_;
    const Tasks* tasks_;  // null: a thread is its number
    std::size_t most_;
    bool has_values_ = false;
    std::vector<bool> reads_, inherits_;  // by event
    InternTable<Counter> counters_;
    std::vector<std::uint64_t> last_;  // by number of the counter
    CounterLosses losses_;
};

}  // namespace perfdata
