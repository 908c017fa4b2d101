// SPDX-License-Identifier: MIT
// What every output must be, whatever names the input has: JSON that parses, text that a terminal shows and does not
// obey, HTML with nothing in it but our own markup.
#pragma once

#include <string_view>

namespace perfdata::fuzz {

// Each traps if it is not so. JSON is one document, or one a line.
void check_json(std::string_view text);
void check_json_lines(std::string_view text);
void check_text(std::string_view text);
void check_html(std::string_view page);

}  // namespace perfdata::fuzz
