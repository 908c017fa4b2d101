// SPDX-License-Identifier: MIT
// The format implied by the name of an output.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::tool {

enum class Format {
    text,
    json,
    json_lines,
    html,
    lines,
    csv,
    csv_tables,  // several, in a directory
    elf,
    raw,
    folded,
    pprof,
    speedscope,
    firefox,
    callgrind,
    autofdo,
    bolt,
    bundle,
    profile
};

// Ending is a file name ending that implies a format: ".json". Where a tool names its files by their beginning, it is
// that: "callgrind.out".
struct Ending {
    std::string_view text;
    std::optional<Format> format;  // empty: one that no command writes, such as ".pdf"
};

// known_ending(name) returns the longest known ending, ignoring case, or else a known beginning; empty for other names,
// and for names that are only an ending.
std::optional<Ending> known_ending(std::string_view name);

// option_word(format) returns its name in --format: "json" for both one document and one object per line.
std::string_view option_word(Format format);

// formats_in_words({text, json}) returns "text (.txt) or JSON (.json)": each with what chooses it.
std::string formats_in_words(const std::vector<Format>& formats);

}  // namespace perfdata::tool
