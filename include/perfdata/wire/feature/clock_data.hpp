// SPDX-License-Identifier: MIT
// CLOCK_DATA (29): one moment in the clock of the events and in wall-clock time. Only with perf record -k.
// write_clock_data in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/clockid.hpp"

namespace perfdata {

//     0 u32 version . 4 u32 clockid . 8 u64 wall_clock . 16 u64 event_clock
struct ClockData {
    static constexpr std::uint32_t known_version = 1;  // the only one so far

    std::uint32_t version = 0;     // known_version
    std::uint32_t clockid = 0;     // see clock_name
    std::uint64_t wall_clock = 0;  // ns since 1970 (UTC)
    Time event_clock;              // the same moment in the clock of the events

    // decode(in): only known_version can be read.
    static Result<ClockData> decode(Cursor in) {
        ClockData clock;
        clock.version = in.u32();
        if (in.ok() && clock.version != known_version) {
            return in.contradiction("version " + std::to_string(clock.version) + "; 1 is known");
        }
        clock.clockid = in.u32();
        clock.wall_clock = in.u64();
        clock.event_clock = {in.u64()};
        if (!in.ok()) return in.failure("the clocks");
        return clock;
    }

    // wall(time) returns an event's time in ns since 1970.
    std::uint64_t wall(Time time) const { return wall_clock + (time.nanoseconds - event_clock.nanoseconds); }
};

}  // namespace perfdata
