// SPDX-License-Identifier: MIT
// The option for files that not everybody may read, for commands whose output is handed on.
#pragma once

#include <CLI/CLI.hpp>

namespace perfdata::tool {

inline void add_private_to(CLI::App& command, bool& chosen) {
    command
        .add_flag("--private", chosen,
                  "Also use files that not everybody may read, if they belong to the users of the recorded processes: "
                  "perf maps, jitdumps, files without a build id, and source files of your own programs")
        ->group("Where names come from");
}

}  // namespace perfdata::tool
