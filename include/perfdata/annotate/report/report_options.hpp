// SPDX-License-Identifier: MIT
// What a report shows: keys that distinguish rows, trees, limits and filters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/cursor.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/profile/event_ratio.hpp"
#include "perfdata/symbols/name_pattern.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// ReportKey is a property that distinguishes rows.
enum class ReportKey : std::uint8_t { comm, pid, tid, cpu, cgroup, object, symbol, kind, line, program, parent, trace };

// ReportKeyWords is the names of a key: on the command line, in text and in JSON.
struct ReportKeyWords {
    ReportKey key;               // the key that these words are for
    std::string_view word;       // for `--sort`, in perf's spelling where perf has the key
    std::string_view title;      // heading of its column
    std::string_view name;       // name of its JSON member
    std::string_view also = {};  // second word for `--sort`
    std::string_view note = {};  // description in the help
};

// report_keys() returns one entry per key, in the order of ReportKey.
PERFDATA_EXPORT std::span<const ReportKeyWords> report_keys();
// words_of(key) returns the entry of a key; it lives for ever.
PERFDATA_EXPORT const ReportKeyWords& words_of(ReportKey key);
// report_key(word) returns the key for a word of `--sort`; empty: there is none.
PERFDATA_EXPORT std::optional<ReportKey> report_key(std::string_view word);

// ReportTree is the kind of tree below each row, in perf's terms.
enum class ReportTree : std::uint8_t {
    none,
    caller,  // callees; for samples in the function itself, its callers, outermost first
    callee,  // callers, innermost first
};

// TreeStyle is the form of trees in text, in perf's terms.
enum class TreeStyle : std::uint8_t {
    graph,    // shares of all samples
    fractal,  // shares of what continues from the caller or callee
    flat,     // each chain with a share of its own, a frame a line
    folded,   // the same, a chain a line
};

// TreeKey is what tells the nodes of trees apart, in addition to their functions.
enum class TreeKey : std::uint8_t { function, address, line };

// TreeValue is the number of a node or chain in text.
enum class TreeValue : std::uint8_t { percent, period, count };

// ReportTables is which events text shows side by side.
enum class ReportTables : std::uint8_t {
    usual,   // all if there are few; else those of each group, and each other event by itself
    groups,  // those of each group, and each other event by itself; if the recording has no groups, all
    single,  // each event by itself
};

// ReportOptions is what the user asked a report to show.
struct PERFDATA_EXPORT ReportOptions {
    // The columns, in this order. Samples that agree in all of them are one row.
    std::vector<ReportKey> keys = {ReportKey::comm, ReportKey::object, ReportKey::symbol};

    bool children = false;  // a row also counts its callees; else trees and order use only the row's own samples
    ReportTree tree = ReportTree::none;  // what is below each row
    double percent_limit = 0;            // rows with less, in every event, are left out
    // Branches with less likewise, in percent of all; of what continues from the node above if `fractal`. `flat` and
    // `folded` leave out chains with less.
    double tree_limit = 0.5;
    TreeStyle tree_style = TreeStyle::graph;    // of text
    TreeKey tree_key = TreeKey::function;       // what tells nodes apart
    TreeValue tree_value = TreeValue::percent;  // shown in text
    std::uint32_t tree_entries = 0;  // text: most siblings of a tree, most chains of a flat or folded row; 0: all
    // For the key `parent`: a function that matches is one. Empty: perf's default. The outermost counts if trees are of
    // callees (ReportTree::caller, or `children` without trees), else the innermost.
    std::optional<NamePattern> parent;
    bool exclude_other = false;                 // leave out samples without a parent
    std::optional<NamePattern> ignore_callees;  // functions that match count what they called as their own
    // With call chains: inlined functions have rows, and nodes in trees.
    bool inlines = true;
    bool relative = false;                      // percentages are of what the filters leave, not of all
    CodeFilter code;                            // only rows of this code
    ReportTables tables = ReportTables::usual;  // which events are side by side
    // Rows are in the order of this event of its group or table, from 0 on; of the first one if there is no such.
    std::uint32_t group_sort = 0;
    std::vector<EventRatio> ratios;  // of events, by their index in recording.events()
    // For the key `trace`: as SampleCountOptions::label. Empty: no sample has a label.
    Callback<std::uint32_t(std::uint32_t, std::optional<Bytes>, const Moment&)> label;
    // Returns the text of a number of `label`, which lives as long as any copy of this function.
    Callback<std::string_view(std::uint32_t)> label_text;
    std::string label_title;  // heading of its column; empty: the usual one
    // Find what BTF calls the BPF functions of rows, and all their programs. Only JSON tells that; it takes time.
    bool program_details = true;
    // Make the report, and its text and JSON, on that many threads; they are the same for any number.
    unsigned jobs = 1;

    // has(key) returns true if it is among `keys`.
    bool has(ReportKey key) const;
    // tells_functions() returns true if the report names functions, so that names can be missing.
    bool tells_functions() const {
        return has(ReportKey::symbol) || has(ReportKey::parent) || tree != ReportTree::none;
    }
    // counts_chains() returns true if callers matter.
    bool counts_chains() const {
        return children || tree != ReportTree::none || has(ReportKey::parent) || ignore_callees.has_value();
    }
    // is_flat() returns true if text has chains instead of trees.
    bool is_flat() const { return tree_style == TreeStyle::flat || tree_style == TreeStyle::folded; }
};

}  // namespace perfdata
