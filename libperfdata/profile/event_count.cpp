// SPDX-License-Identifier: MIT
#include "perfdata/profile/event_count.hpp"

#include <algorithm>
#include <utility>

namespace perfdata {

SharedEventCounts::SharedEventCounts(EventCounts cells) : cells_(Shared<const EventCounts>::make(std::move(cells))) {}

bool SharedEventCounts::operator==(const SharedEventCounts& other) const {
    return std::ranges::equal(*this, other);
}

void add(EventCounts& sum, std::span<const EventCount> cells) {
    if (sum.size() < cells.size()) sum.resize(cells.size());
    for (std::size_t event = 0; event < cells.size(); ++event) sum[event] += cells[event];
}

std::uint64_t hits(std::span<const EventCount> cells) {
    std::uint64_t sum = 0;
    for (const auto& cell : cells) sum = add_up_to_most(sum, cell.hits);
    return sum;
}

}  // namespace perfdata
