// SPDX-License-Identifier: MIT
// Checks every output, whatever names the input contains: JSON parses, text does not command a terminal, HTML contains
// no foreign markup.
#pragma once

#include <string_view>

namespace perfdata::fuzz {

// Each traps on a violation. JSON is one document, or one per line.
void check_json(std::string_view text);
void check_json_lines(std::string_view text);
void check_text(std::string_view text);
void check_html(std::string_view page);

}  // namespace perfdata::fuzz
