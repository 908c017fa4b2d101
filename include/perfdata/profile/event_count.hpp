// SPDX-License-Identifier: MIT
// Hits and periods by event.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

// EventCount is the count of one event at one place.
struct EventCount {
    std::uint64_t hits = 0;     // samples; 2^64-1 if it is more, as a hostile profile file says
    std::uint64_t periods = 0;  // sum of their periods; 2^64-1 if it is more

    // Adds both counts of the other one. Sums do not wrap: a part of a sum is never more than the sum.
    EventCount& operator+=(const EventCount& other) {
        hits = add_up_to_most(hits, other.hits);
        periods = add_up_to_most(periods, other.periods);
        return *this;
    }
    bool operator==(const EventCount&) const = default;
};

// EventCounts has one EventCount for each counted event, in the order of events() of the Profile or SampleCounts.
using EventCounts = std::vector<EventCount>;

// SharedEventCounts never changes. Copies are cheap: all places without samples share one.
class PERFDATA_EXPORT SharedEventCounts {
  public:
    SharedEventCounts() = default;
    // Takes the cells; empty ones make an empty object.
    SharedEventCounts(EventCounts cells);

    std::size_t size() const { return cells_ ? cells_->size() : 0; }                      // number of events
    const EventCount* data() const { return cells_ ? cells_->data() : nullptr; }          // null if there are none
    const EventCount* begin() const { return data(); }                                    // live as long as any copy
    const EventCount* end() const { return data() + size(); }                             // behind the last event
    const EventCount& operator[](std::size_t column) const { return (*cells_)[column]; }  // must be below size()
    bool operator==(const SharedEventCounts& other) const;

  private:
    Shared<const EventCounts> cells_;  // null: no events
};

// CellsOfRow is the EventCounts of one row. It refers to the cells of a table, or owns cells that were stored without
// those that are 0.
class CellsOfRow {
  public:
    // Refers to cells that must outlive it.
    explicit CellsOfRow(std::span<const EventCount> cells) : cells_(cells) {}
    // Owns the cells.
    explicit CellsOfRow(EventCounts cells) : own_(std::move(cells)), cells_(own_) {}
    CellsOfRow(CellsOfRow&&) = default;
    CellsOfRow(const CellsOfRow&) = delete;
    CellsOfRow& operator=(CellsOfRow&&) = delete;
    CellsOfRow& operator=(const CellsOfRow&) = delete;
    ~CellsOfRow() = default;

    std::size_t size() const { return cells_.size(); }                                 // number of events
    const EventCount* data() const { return cells_.data(); }                           // null if there are none
    const EventCount* begin() const { return data(); }                                 // live as long as this
    const EventCount* end() const { return data() + size(); }                          // behind the last event
    const EventCount& operator[](std::size_t column) const { return cells_[column]; }  // must be below size()

  private:
    EventCounts own_;
    std::span<const EventCount> cells_;  // in own_ or elsewhere
};

// Adds `cells` to `sum` column by column. A shorter `sum` grows.
PERFDATA_EXPORT void add(EventCounts& sum, std::span<const EventCount> cells);
// Returns the hits of all events together; 2^64-1 if it is more.
PERFDATA_EXPORT std::uint64_t hits(std::span<const EventCount> cells);

}  // namespace perfdata
