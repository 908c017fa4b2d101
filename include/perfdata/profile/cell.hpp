// SPDX-License-Identifier: MIT
// How much was counted: hits and periods, by event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace perfdata {

// Cell is what one event counted at one place.
struct Cell {
    std::uint64_t hits = 0;     // samples
    std::uint64_t periods = 0;  // sum of their periods; wraps like the counter itself

    Cell& operator+=(const Cell& other) {
        hits += other.hits;
        periods += other.periods;
        return *this;
    }
    bool operator==(const Cell&) const = default;
};

// Cells has one Cell per counted event, in the order of events() of the Profile or Tally.
using Cells = std::vector<Cell>;

void add(Cells& sum, std::span<const Cell> cells);
// hits(cells) is the sum over all events.
std::uint64_t hits(std::span<const Cell> cells);

}  // namespace perfdata
