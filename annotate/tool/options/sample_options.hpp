// SPDX-License-Identifier: MIT
// The options that say which samples count, spelled as perf spells them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// SampleChoice is as the user gave it.
struct SampleChoice {
    std::vector<std::string> events, comms, cpus;
    std::vector<std::int32_t> pids, tids;  // -1: nobody
    std::string time;

    // filter(recording) is what that means for this recording. Errors: missing (no such event), malformed.
    Result<SampleFilter> filter(const Recording& recording) const;
};

}  // namespace perfdata::tool
