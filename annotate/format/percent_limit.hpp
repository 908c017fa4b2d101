// SPDX-License-Identifier: MIT
// The option --percent-limit, wherever rows or listings have percentages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perfdata/profile/event_count.hpp"

namespace perfdata {

// Returns true if the cells have at least `limit` percent of the periods of `whole`, in any event: perf's meaning.
bool reaches(std::span<const EventCount> cells, std::span<const EventCount> whole, double limit);

// Returns the fewest periods of a branch that has `limit` percent of `whole`, at least 1: a branch needs one even if
// the whole is zero or tiny. Rounded down, or up, as perf does for graphs and for fractal ones.
enum class Rounded : std::uint8_t { down, up };
std::uint64_t least_periods(std::uint64_t whole, double limit, Rounded rounded);

// Returns "3 rows below --percent-limit 2 left out"; empty if there are none. `what` is one of them.
std::string hidden_text(std::uint64_t count, std::string_view what, double limit);

}  // namespace perfdata
