// SPDX-License-Identifier: MIT
// The options --percent-limit and --percentage of commands whose output has rows with percentages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace perfdata::tool {

struct PercentChoice {
    std::string percentage = "absolute";
    double limit = 0;

    // Adds both. `limit_help` says what --percent-limit leaves out.
    void add_to(CLI::App& command, const char* limit_help);

    bool relative() const { return percentage == "relative"; }
};

}  // namespace perfdata::tool
