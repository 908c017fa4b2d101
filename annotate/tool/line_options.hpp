// SPDX-License-Identifier: MIT
// The options that say where source text comes from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "perfdata/symbols/code_lines.hpp"

namespace perfdata::tool {

struct LineChoice {
    std::vector<std::string> source_dirs;
    bool local_sources = false;

    void add_to(CLI::App& command);
    CodeLineOptions options() const { return {source_dirs, local_sources}; }
};

}  // namespace perfdata::tool
