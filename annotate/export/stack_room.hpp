// SPDX-License-Identifier: MIT
// How much of stacks a format spells.
#pragma once

#include <cstdint>

#include "exported.hpp"

namespace perfdata {

// StackRoom bounds the places of all stacks that a format spells. A profile file says once what many stacks share, the
// callers of a chain: spelling each of them may take the square of the input. Once there is no more room, a stack has
// its innermost place alone.
class StackRoom {
  public:
    explicit StackRoom(const Exported& exported) : left_(exported.most_places) {}

    void begin_stack() { places_ = 0; }
    // Returns false if the next place of the stack, and all of its callers, are left out.
    bool take() {
        if (left_ == 0 && places_ != 0) {
            ++cut_;
            return false;
        }
        ++places_;
        if (left_ != 0) --left_;
        return true;
    }
    // Returns how many stacks lack callers.
    std::uint64_t cut() const { return cut_; }

  private:
    std::uint64_t left_, places_ = 0, cut_ = 0;
};

}  // namespace perfdata
