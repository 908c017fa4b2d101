// SPDX-License-Identifier: MIT
// Whether a recording is still what it was when its timeline was made.
#pragma once

#include <cstdint>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/recording/completeness.hpp"

namespace perfdata {

class Recording;
class Timeline;

// samples_seen(completeness) returns how many SAMPLE records a pass framed, whole or damaged.
PERFDATA_EXPORT std::uint64_t samples_seen(const Completeness& completeness);

// check_second_pass(seen, recording, timeline) returns an error if a pass over the recording, whatever the order,
// framed another number of samples than the pass that made the timeline: somebody has written to its file or cut it
// meanwhile. What the second pass could not read is in no completeness, so that its sums must not be shown. Errors: io.
PERFDATA_EXPORT Result<void> check_second_pass(std::uint64_t seen, const Recording& recording,
                                               const Timeline& timeline);

}  // namespace perfdata
