// SPDX-License-Identifier: MIT
// The options that select samples, spelled as in perf.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// SampleChoice is the options as the user gave them.
struct SampleChoice {
    std::vector<std::string> events, comms, cpus;
    std::vector<std::int32_t> pids, tids;  // -1: samples without an id
    std::string time;

    // filter(recording) resolves them for this recording. Errors: missing (no such event), malformed.
    Result<SampleFilter> filter(const Recording& recording) const;
};

}  // namespace perfdata::tool
