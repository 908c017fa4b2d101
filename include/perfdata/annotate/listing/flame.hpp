// SPDX-License-Identifier: MIT
// A flame graph: a tree of calls with the counts below each call. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// FlameRole is what a node stands for.
enum class FlameRole : std::uint8_t {
    all,      // the root
    task,     // a command; the symbol is its name
    code,     // a function, or all code without a name in one object
    smaller,  // branches too small (or too deep) to show, combined
};

// FlameName identifies what a node represents.
struct FlameName {
    FlameRole role = FlameRole::code;     // the other members depend on it
    std::string symbol;                   // for BPF code "function" or "program/function"; empty: unknown
    std::string object;                   // as in FrameName; empty for other roles than code
    CodeClass kind = CodeClass::unknown;  // of the code; unknown for other roles
    Frame function;                       // of code with a symbol that is not inlined
    bool inlined = false;                 // a function that was inlined into the nearest caller that is not
};

// FlameNode is one node of the tree.
struct FlameNode {
    std::uint32_t name = 0;     // number in Flame::names
    std::uint32_t depth = 0;    // 0: the root
    std::uint32_t smaller = 0;  // number of branches that a node of that role combines
    EventCounts cells;          // of all chains through this node
};

// FlameOptions is what is too small to show.
struct FlameOptions {
    double least_percent = 0.1;       // branches with fewer hits, for each event, are merged
    std::size_t most_nodes = 10'000;  // beyond that the smallest are merged, of equal ones the deepest
    // Deeper calls count there. No chain that is counted is so deep, with inlined functions.
    std::uint32_t most_depth = 1u << 16;
};

// Flame is nodes in depth-first order: each is followed by its callees, most hits first. The counts of a node beyond
// those of its children are its own.
struct PERFDATA_EXPORT Flame {
    std::vector<std::uint32_t> events;  // the event of each cell, by index in recording.events()
    std::vector<FlameName> names;       // each once: nodes refer to them by number
    std::vector<FlameNode> nodes;       // the root is the first
    double least_percent = 0;           // the limit that was used: all branches with less are merged
    bool cut_deepest = false;           // and of those with as much the deepest
    bool chains = false;                // true if there were callers
    std::uint64_t deep = 0;             // samples with deeper calls than FlameOptions::most_depth

    // make(counts, symbolizer, options): `counts` must be counted with flame_counting(). Its result needs neither of
    // them.
    static Flame make(const SampleCounts& counts, const Symbolizer& symbolizer, const FlameOptions& options = {});
};

// flame_counting(symbolizer, chains) returns what to count for a flame graph. `symbolizer` must outlive the counting.
PERFDATA_EXPORT SampleCountOptions flame_counting(const Symbolizer& symbolizer, bool chains);

}  // namespace perfdata
