// SPDX-License-Identifier: MIT
// The option --ratio of commands that count samples.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

struct RatioChoice {
    std::vector<std::string> ratios;  // "instructions/cycles"

    void add_to(CLI::App& command);

    // Returns the ratios, of events by their index in recording.events(). `counted` is those that are counted; empty:
    // all. Errors: missing, malformed.
    Result<std::vector<EventRatio>> chosen(const Recording& recording, const std::vector<std::uint32_t>& counted) const;
};

}  // namespace perfdata::tool
