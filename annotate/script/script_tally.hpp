// SPDX-License-Identifier: MIT
// What some samples of a script add to its counts, whichever thread writes them.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

namespace perfdata {

// InlinedRoom is how much text there may be for functions that the compiler inlined: recorded bytes add to it. In a
// crafted file dozens of functions are inlined at each address.
//
// What is left depends on all samples before. Threads that do not know it suppose that there is enough, and note how
// much they needed: nearly always that was right.
class InlinedRoom {
  public:
    static constexpr std::int64_t at_first = std::int64_t{64} << 20;

    // begin(left) begins with a known room; without it, the room is unknown.
    void begin(std::int64_t left) {
        sum_ = least_ = left;
        guesses_ = false;
    }

    void add(std::size_t recorded_bytes) {
        constexpr std::int64_t a_byte = 64;
        sum_ += a_byte * static_cast<std::int64_t>(recorded_bytes);
    }
    bool has(std::size_t bytes) const { return guesses_ || static_cast<std::int64_t>(bytes) <= sum_; }
    void take(std::size_t bytes) {
        sum_ -= static_cast<std::int64_t>(bytes);
        least_ = least(least_, sum_);
    }

    // Returns true if what was written holds where so much was left.
    bool was_right(std::int64_t left) const { return left + least_ >= 0; }
    bool guesses() const { return guesses_; }
    // Returns how much is left; of one that guesses, how much more than at first.
    std::int64_t left() const { return sum_; }

  private:
    std::int64_t sum_ = 0, least_ = 0;
    bool guesses_ = true;
};

// ScriptTally is plain data.
struct ScriptTally {
    std::uint64_t samples = 0;
    std::array<std::uint64_t, filter_parts> dropped{};
    std::uint64_t broken_chains = 0, deep_chains = 0, folded_chains = 0;
    // Copies of user stacks, in order; those without an unwinder have no end. Views live as long as the samples.
    std::vector<std::pair<UserState, Unwound>> stacks;
    std::uint64_t not_unwound = 0;
    InlinedRoom room;

    // Keeps the memory of `stacks`.
    void clear() {
        auto kept = std::move(stacks);
        kept.clear();
        *this = {};
        stacks = std::move(kept);
    }
};

}  // namespace perfdata
