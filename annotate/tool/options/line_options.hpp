// SPDX-License-Identifier: MIT
// The options for source text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct LineChoice {
    std::vector<std::string> source_dirs;

    void add_to(CLI::App& command);
    // options(offline): offline also accepts local source files older than their program, unless local files are
    // forbidden.
    SourceFileOptions options(bool offline) const { return {source_dirs, !offline}; }
};

}  // namespace perfdata::tool
