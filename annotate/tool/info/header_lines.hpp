// SPDX-License-Identifier: MIT
// The option --header: the header of a recording as comments in front of other text.
#pragma once

#include <CLI/CLI.hpp>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

// add_header_to(command, wanted) adds --header, which JSON does not take: `perfdata info --json` has it.
void add_header_to(CLI::App& command, bool& wanted);

// write_header_lines(recording, to) writes what perfdata info shows, each line behind "# ".
void write_header_lines(const Recording& recording, const Sink& to);

}  // namespace perfdata::tool
