// SPDX-License-Identifier: MIT
// The options of perfdata report that choose rows, columns and trees: --sort, --fields, --call-graph.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/report/report_options.hpp"

namespace perfdata::tool {

// Graph is perf's -g: words and the percent limit of branches, separated by commas.
struct Graph {
    std::optional<ReportTree> tree;
    std::optional<double> limit;
};

struct RowChoice {
    std::vector<std::string> keys;    // of --sort; empty: the default
    std::vector<std::string> fields;  // of --fields; empty: all columns
    std::string graph;
    bool graph_given = false, inverted = false;
    bool children = false, no_children = false;
    bool hits = false, periods = false;

    // add_to(command) returns the option --call-graph: its count says whether it was given.
    CLI::Option* add_to(CLI::App& command);

    // The functions below expect options that the command has checked.
    std::vector<ReportKey> chosen_keys() const;
    Graph chosen_graph() const;
    bool wants_trees() const { return (graph_given || inverted) && chosen_graph().tree != ReportTree::none; }
    // Returns true if the user asks for, or rules out, rows that count what they called.
    bool asks_for_children() const { return children || has_field("overhead_children"); }
    bool rules_out_children() const { return no_children || (!fields.empty() && !has_field("overhead_children")); }
    bool shows_hits() const { return hits || has_field("sample"); }
    bool shows_periods() const { return periods || has_field("period"); }

  private:
    bool has_field(const std::string& word) const;
};

}  // namespace perfdata::tool
