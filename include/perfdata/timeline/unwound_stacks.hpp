// SPDX-License-Identifier: MIT
// How the unwinding of copied user stacks ended, counted: what callers are missing, and why.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

namespace perfdata {

namespace stored {
struct Model;
}

// UnwoundStacks counts stacks by their ends. The parts of by_end add up to stacks; `not_unwound` is beside them.
class PERFDATA_EXPORT UnwoundStacks {
  public:
    // Counts a stack that was unwound.
    void add(const UserState& state, const Unwound& unwound);
    // Adds the counts of stacks that come later. Together they must have less than most_sizes sizes: which are told
    // apart then does not depend on where they were cut.
    void add(const UnwoundStacks& later);
    // Counts stacks that nobody unwound: the counting had no unwinder.
    void add_not_unwound(std::uint64_t stacks = 1) { not_unwound_ += stacks; }

    std::uint64_t stacks() const { return stacks_; }            // stacks that were unwound
    std::uint64_t not_unwound() const { return not_unwound_; }  // stacks that nobody unwound

    // ended(end) returns how many stacks ended for this reason.
    std::uint64_t ended(StackEnd end) const { return by_end_[static_cast<std::size_t>(end)]; }
    // Returns how many stacks lack callers. What frame_limit cut is told elsewhere, as of other chains.
    std::uint64_t incomplete() const { return stacks_ - ended(StackEnd::bottom) - ended(StackEnd::frame_limit); }
    // Returns how many of them are a loss of this reading, not of the recording or of files that are not here.
    std::uint64_t lost() const { return ended(StackEnd::damaged) + ended(StackEnd::unsupported) + not_unwound_; }

    // Stacks that were too short, by the bytes that the event records of each. At most most_sizes sizes are told apart:
    // the rest counts at size 0.
    static constexpr std::size_t most_sizes = 16;
    const std::map<std::uint64_t, std::uint64_t>& short_copies() const { return short_copies_; }
    // The bytes that copies must have for the next frame of all stacks that were too short, by the same sizes; 0: not
    // known.
    const std::map<std::uint64_t, std::uint64_t>& wanted_copies() const { return wanted_copies_; }
    // Stacks that ended in an object without a file, or in one without unwind information, by object: no more than the
    // timeline has objects.
    const std::map<ObjectIndex, std::uint64_t>& without_file() const { return without_file_; }
    const std::map<ObjectIndex, std::uint64_t>& without_information() const { return without_information_; }

    // restored(model) returns what a profile counts; for the library itself.
    static UnwoundStacks restored(const stored::Model& model);

  private:
    std::uint64_t stacks_ = 0, not_unwound_ = 0;
    std::array<std::uint64_t, stack_ends> by_end_{};
    std::map<std::uint64_t, std::uint64_t> short_copies_, wanted_copies_;
    std::map<ObjectIndex, std::uint64_t> without_file_, without_information_;
};

}  // namespace perfdata
