// SPDX-License-Identifier: MIT
// What a report shows: keys that distinguish rows, trees, limits and filters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// ReportKey is a property that distinguishes rows.
enum class ReportKey : std::uint8_t { comm, pid, tid, cpu, cgroup, object, symbol, kind, line, program };

// ReportKeyWords is the names of a key: on the command line, in text and in JSON.
struct ReportKeyWords {
    ReportKey key;
    std::string_view word;       // for `--sort`, in perf's spelling where perf has the key
    std::string_view title;      // heading of its column
    std::string_view name;       // name of its JSON member
    std::string_view also = {};  // second word for `--sort`
    std::string_view note = {};  // description in the help
};

// report_keys() returns one entry per key, in the order of ReportKey.
std::span<const ReportKeyWords> report_keys();
const ReportKeyWords& words_of(ReportKey key);
// report_key(word) returns the key for a word of `--sort`; empty: there is none.
std::optional<ReportKey> report_key(std::string_view word);

// ReportTree is the kind of tree below each row, in perf's terms.
enum class ReportTree : std::uint8_t {
    none,
    caller,  // callees; for samples in the function itself, its callers, outermost first
    callee,  // callers, innermost first
};

struct ReportOptions {
    std::vector<ReportKey> keys = {ReportKey::comm, ReportKey::object, ReportKey::symbol};
    bool children = false;  // a row also counts its callees; else trees and order use only the row's own samples
    ReportTree tree = ReportTree::none;
    double percent_limit = 0;  // rows with less, in every event, are left out
    double tree_limit = 0.5;   // branches with less likewise, in percent of all
    bool inlines = true;       // with call chains: inlined functions have rows, and nodes in trees
    bool relative = false;     // percentages are of what the filters leave, not of all
    CodeFilter code;           // only rows of this code
    // Find what BTF calls the BPF functions of rows, and all their programs. Only JSON tells that; it takes time.
    bool program_details = true;

    bool has(ReportKey key) const;
    // tells_functions() returns true if the report names functions, so that names can be missing.
    bool tells_functions() const { return has(ReportKey::symbol) || tree != ReportTree::none; }
    // counts_chains() returns true if callers matter.
    bool counts_chains() const { return children || tree != ReportTree::none; }
};

}  // namespace perfdata
