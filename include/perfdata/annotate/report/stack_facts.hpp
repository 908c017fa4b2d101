// SPDX-License-Identifier: MIT
// Why copied user stacks end before their outermost function, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/unwound_stacks.hpp"

namespace perfdata {

// StackFacts is plain data: UnwoundStacks with the names of objects.
struct PERFDATA_EXPORT StackFacts {
    // Object is one in which stacks ended.
    struct Object {
        std::string object;        // in full
        std::uint64_t stacks = 0;  // that end in it
        // Why it was not found, and what would supply it. Objects without unwind information have no reason; their
        // remedy says which debug file is missing, and is empty if none is.
        std::string reason, remedy;
    };

    UnwoundStacks counts;                                   // by reason and by object
    std::vector<Object> without_file, without_information;  // most stacks first

    // of(counts, symbolizer) finds the names of the objects.
    static StackFacts of(const UnwoundStacks& counts, const Symbolizer& symbolizer);

    // Returns how many stacks lack callers.
    std::uint64_t lacking() const { return counts.incomplete() + counts.not_unwound(); }
    // Returns a sentence for each reason, most stacks first, with its remedy; empty if all stacks are whole.
    std::vector<std::string> notes() const;
};

}  // namespace perfdata
