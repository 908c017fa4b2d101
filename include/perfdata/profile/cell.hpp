// SPDX-License-Identifier: MIT
// How much was counted: hits and periods, by event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
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

// SharedCells is Cells that do not change any more. Copies are cheap, so that all that has no samples has one.
class SharedCells {
  public:
    SharedCells() = default;
    SharedCells(Cells cells) : cells_(std::make_shared<const Cells>(std::move(cells))) {}

    std::size_t size() const { return cells_ ? cells_->size() : 0; }
    const Cell* data() const { return cells_ ? cells_->data() : nullptr; }
    const Cell* begin() const { return data(); }
    const Cell* end() const { return data() + size(); }
    const Cell& operator[](std::size_t column) const { return (*cells_)[column]; }
    bool operator==(const SharedCells& other) const { return std::ranges::equal(*this, other); }

  private:
    std::shared_ptr<const Cells> cells_;  // null: of no event
};

void add(Cells& sum, std::span<const Cell> cells);
// hits(cells) is the sum over all events.
std::uint64_t hits(std::span<const Cell> cells);

}  // namespace perfdata
