// SPDX-License-Identifier: MIT
// Counts parts of a recording at the same time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/record_mark.hpp"

#include "sample_counter.hpp"

namespace perfdata {

// is_countable_in_parts(recording, options) returns true if samples can be counted in another order than they come.
bool is_countable_in_parts(const Recording& recording, const SampleCountOptions& options);

// part_begins(recording, timeline, options) returns where all parts but the first begin; nothing if the recording is
// to be counted as one.
std::vector<RecordMark> part_begins(const Recording& recording, const Timeline& timeline,
                                    const SampleCountOptions& options);

// count_in_parts(recording, timeline, options, shared, begins) counts as SampleCounts::count() does. Nothing if the
// result might be another: whoever asked counts all as one then.
std::optional<Result<SampleCounts>> count_in_parts(const Recording& recording, const Timeline& timeline,
                                                   const SampleCountOptions& options,
                                                   const SampleCounter::InCommon& shared,
                                                   std::span<const RecordMark> begins);

}  // namespace perfdata
