// SPDX-License-Identifier: MIT
// What subcommands ask about the events of a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// chosen_events(recording, names) is by index in recording.events(), sorted; empty for no names. A name chooses all
// events that events_called() says: "cycles" is "cycles:ppp", too. Errors: missing, with the events there are.
Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names);

// has_chains(recording) is whether any event was recorded with call chains.
bool has_chains(const Recording& recording);

// Returns true if samples of any chosen event have that sample_bit; none chosen: of any event.
bool events_have(const Recording& recording, const std::vector<std::uint32_t>& chosen, std::uint64_t bit);

// has_unread_stacks(recording, chosen) is whether callers in user space are in copies of the user stack only, of any
// chosen event; none chosen: of any.
bool has_unread_stacks(const Recording& recording, const std::vector<std::uint32_t>& chosen = {});

}  // namespace perfdata::tool
