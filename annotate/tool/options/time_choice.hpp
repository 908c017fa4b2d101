// SPDX-License-Identifier: MIT
// The option --time, as perf takes it: "12.5,13.25", ",13 14,", "10%-20%", "10%/2".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// Parses a time in seconds: "12.5". Errors: malformed.
Result<Time> parse_time(const std::string& text);

// TimeChoice is what the user asked for: ranges of time, or shares of the time from the first to the last sample.
class TimeChoice {
  public:
    // Follows perf_time__parse_for_ranges in tools/perf/util/time-utils.c: spaces stand between ranges, commas between
    // shares. Either end of a range may be left out. Errors: malformed.
    static Result<TimeChoice> parse(std::string_view text);

    // Returns the ranges, both ends included, sorted and without overlap. Shares are of what SAMPLE_TIME says, or of
    // the samples themselves where the recording lacks it. Errors: missing (no sample has a time), and those of a walk
    // over the recording.
    Result<std::vector<TimeRange>> ranges(const Recording& recording) const;

  private:
    // From 0 to 1.
    struct Share {
        double from = 0, until = 1;
    };

    static Result<Share> parse_share(std::string_view text);
    static Result<TimeRange> parse_range(std::string_view text);

    std::vector<TimeRange> ranges_;
    std::vector<Share> shares_;
};

// Returns the ranges that --time chooses; none for an empty text, which chooses all. Errors: malformed, and those of
// TimeChoice::ranges().
Result<std::vector<TimeRange>> chosen_times(const Recording& recording, const std::string& time);

}  // namespace perfdata::tool
