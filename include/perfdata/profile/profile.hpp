// SPDX-License-Identifier: MIT
// Where the samples fell: hits by version of code, offset and event.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/timeline.hpp"

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

// Cells has one Cell per counted event, in the order of Profile::events().
using Cells = std::vector<Cell>;

void add(Cells& sum, std::span<const Cell> cells);
// hits(cells) is the sum over all events.
std::uint64_t hits(std::span<const Cell> cells);

// OffsetHits is what fell on one byte offset of a function.
struct OffsetHits {
    std::uint64_t offset = 0;
    Cells cells;
};

// FunctionHits is what fell on one version of a function.
struct FunctionHits {
    CodeIndex code = 0;
    Cells total;
    std::vector<OffsetHits> offsets;  // by offset; their cells add up to total
};

struct ProfileOptions {
    std::stop_token stop;
    // Which events to count, by index in recording.events(); empty: all. Samples of the others are not looked at.
    std::vector<std::uint32_t> events;
};

// Profile: cells of all functions() and of all misses() add up to totals().
class Profile {
  public:
    // count(recording, timeline) decodes every sample once and asks the timeline who owned its address at its time.
    // The only error is `cancelled`.
    static Result<Profile> count(const Recording& recording, const Timeline& timeline,
                                 const ProfileOptions& options = {});

    // events() says which event each cell is of, by index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }
    // functions() is all code with hits, most hits first; equal ones by time and address.
    const std::vector<FunctionHits>& functions() const { return functions_; }
    const std::map<Miss, Cells>& misses() const { return misses_; }
    const Cells& totals() const { return totals_; }
    // first_time(), last_time() are of the samples; empty if none has a time.
    std::optional<Time> first_time() const { return first_time_; }
    std::optional<Time> last_time() const { return last_time_; }

  private:
    friend class ProfileCounter;

    std::vector<std::uint32_t> events_;
    std::vector<FunctionHits> functions_;
    std::map<Miss, Cells> misses_;
    Cells totals_;
    std::optional<Time> first_time_, last_time_;
};

}  // namespace perfdata
