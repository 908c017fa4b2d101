// SPDX-License-Identifier: MIT
// Times of a jitdump file in the clock of a recording's events.
#pragma once

#include <optional>

#include "perfdata/recording/event_table.hpp"
#include "perfdata/wire/jitdump/header.hpp"
#include "perfdata/wire/record/time_conv.hpp"

namespace perfdata {

// EventClock is which clock the events of a recording used.
struct EventClock {
    static constexpr std::int32_t monotonic = 1;  // CLOCK_MONOTONIC

    // The clockid that perf record -k chose for all events that keep the time; nothing if none was chosen: perf's own
    // clock. If events differ, `mixed` is set.
    std::optional<std::int32_t> clockid;
    bool mixed = false;
    // The recording's TIME_CONV record, nothing if it has none.
    std::optional<TimeConv> conversion;

    static EventClock of(const EventTable& events, std::optional<TimeConv> conversion = {});
};

// JitClock makes event times of a dump's time stamps.
class JitClock {
  public:
    // match(header, events) is an error (mismatch or missing) if times of the two cannot be compared. The error says
    // how to record so that they can.
    static Result<JitClock> match(const JitDumpHeader& header, const EventClock& events);
    // none() is for dumps whose times cannot be compared: see JitCode::timed().
    static JitClock none() { return {}; }

    bool comparable() const { return comparable_; }
    // time(stamp) is the event time; without a comparable clock it is the dump's own.
    Time time(std::uint64_t stamp) const;

  private:
    JitClock() = default;

    bool comparable_ = false;
    std::optional<TimeConv> conversion_;  // nothing: a stamp is an event time already
};

}  // namespace perfdata
