// SPDX-License-Identifier: MIT
// The branches of a profile: those that may be calls.
#pragma once

#include <vector>

#include "made_counts.hpp"
#include "made_frames.hpp"
#include "making.hpp"

namespace perfdata {

// add_branches(making, frames, tasks, columns, events) counts what CallEdges::add_branches() needs of branch stacks:
// branches to the first byte of a named function that are no jumps. `columns` has the events by index in
// recording.events(), `events` their rows. It reads the recording once, and none without branch stacks. Errors:
// cancelled.
Result<void> add_branches(Making& making, MadeFrames& frames, MadeTasks& tasks,
                          const std::vector<std::uint32_t>& columns,
                          const std::vector<stored::Ref<stored::Event>>& events);

}  // namespace perfdata
