// SPDX-License-Identifier: MIT
// What subcommands ask about the events of a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// chosen_events(recording, names) is by index in recording.events(), sorted; empty for no names. A name is the whole
// name of an event, or what stands in front of its modifiers: "cycles" is "cycles:ppp", too. Errors: missing.
Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names);

// has_chains(recording) is whether any event was recorded with call chains.
bool has_chains(const Recording& recording);

}  // namespace perfdata::tool
