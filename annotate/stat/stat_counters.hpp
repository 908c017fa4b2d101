// SPDX-License-Identifier: MIT
// The counters of a recording of perf stat: what each last said, and what it counted since the round before.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/wire/record/stat.hpp"

namespace perfdata {

// StatValues is a value with its times; sums and differences wrap at 64 bits, as in perf.
struct StatValues {
    std::uint64_t value = 0, enabled = 0, running = 0;

    StatValues& operator+=(const StatValues& other) {
        value += other.value;
        enabled += other.enabled;
        running += other.running;
        return *this;
    }
    StatValues operator-(const StatValues& other) const {
        return {value - other.value, enabled - other.enabled, running - other.running};
    }

    // estimated(scales) returns the value for all of the time that the counter was enabled: none if it never ran.
    // One that is too large is most_estimated.
    std::uint64_t estimated(bool scales) const;
};

inline constexpr auto most_estimated = std::numeric_limits<std::uint64_t>::max();
// sum_of_estimates(one, other) keeps what is too large as it is. Other sums wrap, so that counters that ran backwards
// cancel others out, as in perf.
inline std::uint64_t sum_of_estimates(std::uint64_t one, std::uint64_t other) {
    return one == most_estimated || other == most_estimated ? most_estimated : one + other;
}

// StatCounter is which counter a value is of: indices of event, CPU and thread.
struct StatCounter {
    std::uint32_t event = 0, cpu = 0, thread = 0;

    auto operator<=>(const StatCounter&) const = default;
};

// StatDelta is what a counter counted in a round.
struct StatDelta {
    StatCounter counter;
    StatValues counted;
};

// StatCounters keeps one value for each counter that has any, and the sum of all of an event.
class StatCounters {
  public:
    // It holds at most `most` counters, each with 100 bytes or so.
    StatCounters(std::size_t events, std::size_t most) : sums_(events), most_(most) {}

    // set(counter, values) takes a value; false if there are too many counters.
    bool set(const StatCounter& counter, const StatValues& values);
    // sum(event) returns what all counters of the event counted since the last end_round().
    StatValues sum(std::uint32_t event) const { return sums_[event].now - sums_[event].before; }
    // deltas() returns what the counters that were set in this round counted, in their order. Others counted nothing.
    std::vector<StatDelta> deltas() const;
    // set_count() returns how many counters were set in this round.
    std::size_t set_count() const { return set_.size(); }
    void end_round();

  private:
    struct Cell {
        StatValues now, before;
        std::uint64_t round = 0;  // in which it was set, from 1
    };
    struct Sum {
        StatValues now, before;
    };
    using Cells = std::map<StatCounter, Cell>;

    Cells cells_;  // at most one for each STAT record; log n each
    std::vector<Sum> sums_;
    std::vector<Cells::value_type*> set_;  // in this round
    std::size_t most_;
    std::uint64_t round_ = 1;
};

}  // namespace perfdata
