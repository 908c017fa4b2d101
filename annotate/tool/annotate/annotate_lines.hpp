// SPDX-License-Identifier: MIT
// perfdata annotate --format lines: the heat of source lines, for editors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/profile/sample_filter.hpp"

#include "tool/session.hpp"

namespace perfdata::tool {

struct LinesChoice {
    const SampleFilter& filter;
    bool chains = true;  // count callers
    std::uint32_t max_stack = 0;
    bool relative = false;     // percentages are of what the filter leaves
    double percent_limit = 0;  // lines with less are left out
    std::vector<std::string> source_dirs;
    bool local = false;              // source files of this machine may be told
    std::vector<EventRatio> ratios;  // of events, by their index in recording.events()
    unsigned jobs = 1;               // threads that count
};

// Counts, writes the document and says what it lacks. The session has a symbolizer. Returns the exit code, without
// that of a damaged recording.
int annotate_lines(Session& session, const LinesChoice& choice);

}  // namespace perfdata::tool
