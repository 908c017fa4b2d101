// SPDX-License-Identifier: MIT
// The options that say where source text comes from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct LineChoice {
    std::vector<std::string> source_dirs;

    void add_to(CLI::App& command);
    // options(offline): files of this machine that are older than the program they belong to are used as well, unless
    // they were forbidden.
    SourceFileOptions options(bool offline) const { return {source_dirs, !offline}; }
};

}  // namespace perfdata::tool
