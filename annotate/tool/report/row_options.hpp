// SPDX-License-Identifier: MIT
// The options of perfdata report that choose rows and columns: --sort, --fields, --children...
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "perfdata/annotate/report/report_options.hpp"

#include "trace/trace_labels.hpp"

namespace perfdata::tool {

struct RowChoice {
    std::vector<std::string> keys;    // of --sort; empty: the default
    std::vector<std::string> fields;  // of --fields; empty: all columns
    bool children = false, no_children = false;
    bool hits = false, periods = false;

    void add_to(CLI::App& command);

    // The functions below expect options that the command has checked.
    std::vector<ReportKey> chosen_keys() const;
    // Returns false if the keys are not the user's choice.
    bool chooses_keys() const;
    // Returns what the key ReportKey::trace is made of; empty without it.
    std::vector<TraceKey> trace_keys() const;
    // Returns true if the user asks for, or rules out, rows that count what they called.
    bool asks_for_children() const { return children || has_field("overhead_children"); }
    bool rules_out_children() const { return no_children || (!fields.empty() && !has_field("overhead_children")); }
    bool shows_hits() const { return hits || has_field("sample"); }
    bool shows_periods() const { return periods || has_field("period"); }

  private:
    bool has_field(const std::string& word) const;
};

}  // namespace perfdata::tool
