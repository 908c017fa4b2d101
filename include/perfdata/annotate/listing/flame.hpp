// SPDX-License-Identifier: MIT
// A flame graph: who called whom, as a tree with what was counted below each call. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

enum class FlameRole : std::uint8_t {
    all,      // the root
    task,     // a command; the symbol is its name
    code,     // a function, or all code without a name in one object
    smaller,  // branches too small to be shown, together
};

// FlameName is what a node stands for.
struct FlameName {
    FlameRole role = FlameRole::code;
    std::string symbol;  // of BPF code "function" or "program/function"; empty: not known
    std::string object;
    CodeClass kind = CodeClass::unknown;
    Frame function;  // of code with a symbol
};

struct FlameNode {
    std::uint32_t name = 0;     // number in Flame::names
    std::uint32_t depth = 0;    // 0: the root
    std::uint32_t smaller = 0;  // how many branches a node of that role stands for
    EventCounts cells;          // of all chains that come by here
};

struct FlameOptions {
    double least_percent = 0.1;      // branches with less hits, of each event, are merged
    std::size_t most_nodes = 4000;   // if there would be more, the limit above is raised
    std::uint32_t most_depth = 200;  // what was called from deeper counts there
};

// Flame is nodes in order of a walk: each is followed by what it called, most hits first. What a node has more than
// its children was counted in itself.
struct Flame {
    std::vector<std::uint32_t> events;  // each cell's, by index in recording.events()
    std::vector<FlameName> names;
    std::vector<FlameNode> nodes;  // the root is the first
    double least_percent = 0;      // the limit that was used
    bool chains = false;           // whether there were callers

    static Flame make(const SampleCounts& counts, const Symbolizer& symbolizer, const FlameOptions& options = {});
};

// flame_counting(symbolizer, chains) is what to count for one. `symbolizer` must outlive the counting.
SampleCountOptions flame_counting(const Symbolizer& symbolizer, bool chains);

}  // namespace perfdata
