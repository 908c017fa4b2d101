// SPDX-License-Identifier: MIT
// The options of perfdata diff that say what is compared, and how.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "perfdata/annotate/diff/diff.hpp"

namespace perfdata::tool {

struct DiffChoice {
    std::string first, second;                      // the arguments; empty: not given
    std::vector<std::string> old_files, new_files;  // --old, --new
    std::string compute = "delta-abs";              // -c
    std::string normalize = "periods";              // a word, or the name of an event
    std::vector<std::string> conditions;            // --fail-if

    void add_to(CLI::App& command);
    // Returns what is wrong with the choice of files: empty if nothing is.
    std::string contradiction() const;
    // Return the recordings of each side, as perf diff chooses them: perf.data.old and perf.data if none is named.
    std::vector<std::string> old_side() const;
    std::vector<std::string> new_side() const;
    // The words have been checked.
    void choose(DiffOptions& options) const;
};

}  // namespace perfdata::tool
