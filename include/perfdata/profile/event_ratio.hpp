// SPDX-License-Identifier: MIT
// The ratio of two events, such as instructions per cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/profile/event_count.hpp"

namespace perfdata {

// EventRatio is the periods of one event divided by those of another.
struct EventRatio {
    static constexpr std::size_t no_column = ~std::size_t{0};  // of an event without samples

    // Value is the ratio at one place.
    struct Value {
        std::optional<double> ratio;  // nothing if the denominator is 0
        std::uint64_t samples = 0;    // how many it rests on: those of the event that has fewer

        bool operator==(const Value&) const = default;
    };

    std::string name;                     // as the user wrote it: "instructions/cycles"
    std::size_t numerator = no_column;    // which of the cells
    std::size_t denominator = no_column;  // likewise

    // of(cells) returns the ratio of what the cells counted.
    Value of(std::span<const EventCount> cells) const {
        const auto above = numerator < cells.size() ? cells[numerator] : EventCount{};
        const auto below = denominator < cells.size() ? cells[denominator] : EventCount{};
        Value value{{}, least(above.hits, below.hits)};
        if (below.periods != 0) value.ratio = static_cast<double>(above.periods) / static_cast<double>(below.periods);
        return value;
    }
    // moved(columns) returns the ratio for other cells, of which the one at `at` is columns[at] of these.
    EventRatio moved(std::span<const std::size_t> columns) const {
        const auto place = [&](std::size_t column) {
            std::size_t at = 0;
            while (at < columns.size() && columns[at] != column) ++at;
            return at < columns.size() ? at : no_column;
        };
        return {name, place(numerator), place(denominator)};
    }
};

}  // namespace perfdata
