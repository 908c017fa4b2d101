// SPDX-License-Identifier: MIT
// Which events --event means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// chosen_events(recording, names) is by index in recording.events(), sorted; empty for no names. A name is the whole
// name of an event, or what stands in front of its modifiers: "cycles" is "cycles:ppp", too. Errors: missing.
Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names);

}  // namespace perfdata::tool
