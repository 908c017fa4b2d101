// SPDX-License-Identifier: MIT
// What a report is to show: keys that tell rows apart, trees, limits and filters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// What tells rows apart.
enum class ReportKey : std::uint8_t { comm, pid, tid, cpu, cgroup, object, symbol, kind, line, program };

// ReportKeyWords is what a key is called: on the command line, in text and in JSON.
struct ReportKeyWords {
    ReportKey key;
    std::string_view word;       // of `--sort`, as perf spells it where perf has it
    std::string_view title;      // heads its column
    std::string_view name;       // of its member in JSON
    std::string_view also = {};  // another word of `--sort`
    std::string_view note = {};  // of the help: what it is
};

// report_keys() is one entry for each key, in the order of ReportKey.
std::span<const ReportKeyWords> report_keys();
// words_of(key) is its entry.
const ReportKeyWords& words_of(ReportKey key);
// report_key(word) is the key that a word of `--sort` means.
std::optional<ReportKey> report_key(std::string_view word);

// Which trees rows have, in perf's words.
enum class ReportTree : std::uint8_t {
    none,
    caller,  // what the function called; of samples in itself: how it was reached, outermost first
    callee,  // who called it, innermost first
};

struct ReportOptions {
    std::vector<ReportKey> keys = {ReportKey::comm, ReportKey::object, ReportKey::symbol};
    bool children = false;  // a row counts what it called as well; else trees and order are of samples in itself
    ReportTree tree = ReportTree::none;
    double percent_limit = 0;  // rows with less, in every event, are left out
    double tree_limit = 0.5;   // branches with less likewise, in percent of all
    bool relative = false;     // percentages are of what the filters leave, not of all
    CodeFilter code;           // only rows of this code
    // Find what BTF calls the BPF functions of rows, and all their programs. Only JSON tells that; it takes time.
    bool program_details = true;

    bool has(ReportKey key) const;
    // tells_functions() is whether such a report names functions, so that names can be missing.
    bool tells_functions() const { return has(ReportKey::symbol) || tree != ReportTree::none; }
};

}  // namespace perfdata
