// SPDX-License-Identifier: MIT
// SAMPLE_TIME (21): the times of the first and the last sample. write_sample_time in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u64 first . 8 u64 last
struct SampleTimes {
    Time first;  // both 0 if the recorder did not check (no --timestamp-boundary and no build ids), and ...
    Time last;   // ... 2^64-1 if samples have no times; not checked: in a damaged file it may be before `first`

    // known() returns false for these two.
    bool known() const {
        constexpr Time none{~std::uint64_t{0}};
        return (first != Time{} || last != Time{}) && (first != none || last != none);
    }

    // decode(in) fails (truncated) if the section is too short.
    static Result<SampleTimes> decode(Cursor in) {
        SampleTimes times;
        times.first = {in.u64()};
        times.last = {in.u64()};
        if (!in.ok()) return in.failure("the times");
        return times;
    }
};

}  // namespace perfdata
