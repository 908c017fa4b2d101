// SPDX-License-Identifier: MIT
// What subcommands need to know about a recording's events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// chosen_events(recording, names) returns sorted indices in recording.events(); empty for no names. A name selects all
// events that events_called() matches: "cycles" also selects "cycles:ppp". Errors: missing, with a list of events.
Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names);

// has_chains(recording) returns true if any event was recorded with call chains.
bool has_chains(const Recording& recording);

// Returns true if samples of any chosen event have that sample_bit; none chosen: of any event.
bool events_have(const Recording& recording, const std::vector<std::uint32_t>& chosen, std::uint64_t bit);

// has_unread_stacks(recording, chosen) returns true if any chosen event (none: any event) has its user callers only in
// copies of the user stack.
bool has_unread_stacks(const Recording& recording, const std::vector<std::uint32_t>& chosen = {});

}  // namespace perfdata::tool
