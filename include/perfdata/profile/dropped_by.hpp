// SPDX-License-Identifier: MIT
// Samples that a filter left out.
#pragma once

#include <array>
#include <cstddef>

#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/sample_filter.hpp"

namespace perfdata {

// DroppedBy counts the samples that each part of a filter left out, by event. A sample that several parts reject counts
// for the first of them, in the order of FilterPart.
class DroppedBy {
  public:
    DroppedBy() = default;
    explicit DroppedBy(std::size_t events) { parts_.fill(EventCounts(events)); }  // `events`: how many are counted

    // of(part) returns the counts of what that part left out, by event.
    EventCounts& of(FilterPart part) { return parts_[static_cast<std::size_t>(part)]; }
    // empty() returns true if nothing was left out.
    bool empty() const {
        for (const auto& part : parts_) {
            if (hits(part) != 0) return false;
        }
        return true;
    }

    // of(part) returns the counts of what that part left out, by event.
    const EventCounts& of(FilterPart part) const { return parts_[static_cast<std::size_t>(part)]; }

  private:
    std::array<EventCounts, filter_parts> parts_;
};

}  // namespace perfdata
