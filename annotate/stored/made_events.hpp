// SPDX-License-Identifier: MIT
// The events of a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "perfdata/core/types.hpp"

#include "making.hpp"

namespace perfdata {

// EventTimes is when the first and the last sample of an event was taken.
struct EventTimes {
    std::optional<Time> first, last;

    void note(Time time) {
        if (!first || time < *first) first = time;
        if (!last || *last < time) last = time;
    }
};

// add_events(making, columns, times) adds the counted events, by index in recording.events(), and returns their rows.
std::vector<stored::Ref<stored::Event>> add_events(Making& making, const std::vector<std::uint32_t>& columns,
                                                   const std::vector<EventTimes>& times);

}  // namespace perfdata
