// SPDX-License-Identifier: MIT
// The format that the name of an output asks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::tool {

enum class Format { text, json, json_lines, html, elf, raw };

// Ending is the end of a file's name that stands for a format: ".json".
struct Ending {
    std::string_view text;
    std::optional<Format> format;  // none: one that no command writes, such as ".pdf"
};

// known_ending(name) is the longest known one, capital letters or not; nothing of other names, and of those that are
// nothing but an ending.
std::optional<Ending> known_ending(std::string_view name);

// option_word(format) is what --format calls it: "json" for one document and for one object a line.
std::string_view option_word(Format format);

// formats_in_words({text, json}) is "text (.txt) and JSON (.json)".
std::string formats_in_words(const std::vector<Format>& formats);

}  // namespace perfdata::tool
