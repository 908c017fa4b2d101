// SPDX-License-Identifier: MIT
// CLOCKID (23): the resolution of the clock chosen with perf record -k, and names of clocks. write_clockid in
// tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u64 resolution
struct ClockResolution {
    std::uint64_t nanoseconds = 0;  // the smallest step of the clock: 1 with high-resolution timers

    // decode(in) fails (truncated) if the section is too short.
    static Result<ClockResolution> decode(Cursor in) {
        const ClockResolution resolution{in.u64()};
        if (!in.ok()) return in.failure("the resolution");
        return resolution;
    }
};

// clock_name(clockid) returns the CLOCK_* name of clock_gettime(2) in lower case; empty if unknown.
constexpr std::string_view clock_name(std::uint32_t clockid) {
    constexpr std::string_view names[] = {"realtime",
                                          "monotonic",
                                          "process_cputime_id",
                                          "thread_cputime_id",
                                          "monotonic_raw",
                                          "realtime_coarse",
                                          "monotonic_coarse",
                                          "boottime",
                                          "realtime_alarm",
                                          "boottime_alarm",
                                          "",
                                          "tai"};
    return clockid < std::size(names) ? names[clockid] : std::string_view{};
}

}  // namespace perfdata
