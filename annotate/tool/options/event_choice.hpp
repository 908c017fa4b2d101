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

// has_cpus(recording, chosen) returns true if samples of any chosen event (none: of any event) contain their CPU.
bool has_cpus(const Recording& recording, const std::vector<std::uint32_t>& chosen);
// refuse_cpus() reports that --cpu is impossible without that, and returns the exit code.
int refuse_cpus();

// has_unread_stacks(recording, chosen) returns true if any chosen event (none: any event) has its user callers only in
// copies of the user stack.
bool has_unread_stacks(const Recording& recording, const std::vector<std::uint32_t>& chosen = {});

}  // namespace perfdata::tool
