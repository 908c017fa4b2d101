// SPDX-License-Identifier: MIT
// The options of commands whose text is read on a terminal: --width and --no-pager.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/callback.hpp"

#include "tool/output/output.hpp"

namespace perfdata::tool {

struct ScreenChoice {
    std::optional<std::size_t> width;  // columns; 0: any
    bool no_pager = false;

    void add_to(CLI::App& command);
    // columns(output) returns the width for text there: as given, that of the terminal, or 0 for no limit.
    std::size_t columns(const Output& output) const;
    // write(output, text) passes the output's sink to text(sink), cut to columns(output). If that cut lines, a last
    // line says so; it begins with `prefix`.
    void write(Output& output, std::string_view prefix, const Callback<void(const Sink&)>& text) const;
};

}  // namespace perfdata::tool
