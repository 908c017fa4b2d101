// SPDX-License-Identifier: MIT
// Converts times of a jitdump file to the clock of a recording's events.
#pragma once

#include <optional>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/wire/jitdump/header.hpp"
#include "perfdata/wire/record/time_conv.hpp"

namespace perfdata {

// EventClock is the clock that the events of a recording used.
struct PERFDATA_EXPORT EventClock {
    static constexpr std::int32_t monotonic = 1;  // CLOCK_MONOTONIC

    // The clockid that perf record -k chose for all events that record the time; empty if none was chosen: perf's own
    // clock. If events differ, `mixed` is set.
    std::optional<std::int32_t> clockid;
    bool mixed = false;
    // The recording's TIME_CONV record, empty if it has none.
    std::optional<TimeConv> conversion;

    // of(events, conversion) finds the clock that the attrs of the events state.
    static EventClock of(const EventTable& events, std::optional<TimeConv> conversion = {});
};

// JitClock converts a dump's time stamps to event times.
class PERFDATA_EXPORT JitClock {
  public:
    // match(header, events) returns an error (mismatch or missing) if the times of the two cannot be compared. Its
    // message says how to record so that they can.
    static Result<JitClock> match(const JitDumpHeader& header, const EventClock& events);
    // none() is for dumps with incomparable times: see JitCode::timed().
    static JitClock none() { return {}; }

    bool comparable() const { return comparable_; }  // time() returns event times
    // time(stamp) returns the event time; without a comparable clock the dump's own.
    Time time(std::uint64_t stamp) const;

  private:
    JitClock() = default;

    bool comparable_ = false;
    std::optional<TimeConv> conversion_;  // empty: a stamp already is an event time
};

}  // namespace perfdata
