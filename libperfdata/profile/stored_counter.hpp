// SPDX-License-Identifier: MIT
// Counts what a profile has.
#pragma once

#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {

// count_stored(profile, timeline, options) is SampleCounts::count() for a profile.
Result<SampleCounts> count_stored(const Recording& profile, const Timeline& timeline,
                                  const SampleCountOptions& options);

}  // namespace perfdata
