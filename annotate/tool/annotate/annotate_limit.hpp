// SPDX-License-Identifier: MIT
// Leaves out functions with few samples.
#pragma once

#include <cstdint>

#include "annotate_choice.hpp"

namespace perfdata::tool {

// Takes out the functions below `limit` percent of the periods of `whole` in every event, all versions of each
// together: perf's meaning of --percent-limit. Their samples become unattributed. Returns how many functions that are.
std::uint64_t hide_small(ChosenFunctions& chosen, const EventCounts& whole, double limit);

}  // namespace perfdata::tool
