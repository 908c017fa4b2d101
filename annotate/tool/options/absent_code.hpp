// SPDX-License-Identifier: MIT
// Names of --dso and --symbols that no sample has.
#pragma once

#include <string>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

// absent_code(wanted, counts, symbolizer, samples) returns a note for each name of the filter that no frame of the
// counts has, with similar names of those that they have: "--dso: no samples in an object called f in this recording;
// did you mean g?". The counts must not be filtered by code. `samples` is what they are:
// SampleChoice::chosen_samples().
std::vector<std::string> absent_code(const CodeFilter& wanted, const SampleCounts& counts, const Symbolizer& symbolizer,
                                     const std::string& samples);

}  // namespace perfdata::tool
