// SPDX-License-Identifier: MIT
// Branches that a profile has.
#pragma once

#include <cstdint>
#include <vector>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/sample_filter.hpp"

#include "call_table.hpp"

namespace perfdata {

// count_stored_branches(profile, samples, table, events, stop) adds the branches of these events to the table, where
// they begin or end in a listed function. They have no sampled place: SampleFilter::code passes all. Returns false if
// it was asked to stop.
bool count_stored_branches(const Recording& profile, const SampleFilter& samples, CallTable& table,
                           const std::vector<std::uint32_t>& events, const StopToken& stop);

}  // namespace perfdata
