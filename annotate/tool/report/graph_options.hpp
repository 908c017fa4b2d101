// SPDX-License-Identifier: MIT
// The options of perfdata report for call chains and the trees made of them: --call-graph, --parent, --max-stack...
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "perfdata/annotate/report/report_options.hpp"

namespace perfdata::tool {

// Graph is perf's -g: words in any order, then numbers, separated by commas. Members that were not given are empty.
struct Graph {
    std::optional<ReportTree> tree;
    std::optional<TreeStyle> style;
    std::optional<TreeKey> key;
    std::optional<TreeValue> value;
    std::optional<double> limit;           // percent
    std::optional<std::uint32_t> entries;  // perf's print limit

    // Errors: malformed, unsupported.
    static Result<Graph> parse(const std::string& text);
};

struct GraphChoice {
    // The kernel's default limit of frames, and the largest accepted. Of deeper chains the innermost frames count.
    static constexpr unsigned usual_stack = 127, deepest_stack = 1024;

    std::string graph, parent, ignore_callees;
    bool graph_given = false, inverted = false, none = false;
    bool exclude_other = false;
    unsigned max_stack = usual_stack;

    void add_to(CLI::App& command);
    // check(keys) returns the reason why options do not fit together; empty: they do.
    std::string check(const std::vector<ReportKey>& keys) const;

    // The functions below expect options that the command has checked.
    Graph chosen_graph() const;
    bool wants_trees() const { return (graph_given || inverted) && chosen_graph().tree != ReportTree::none; }
    // Returns true if the user asks for what call chains tell, other than trees.
    bool asks_for_callers() const { return !parent.empty() || !ignore_callees.empty(); }
    // Sets what does not depend on the recording.
    void choose(ReportOptions& options) const;
};

}  // namespace perfdata::tool
