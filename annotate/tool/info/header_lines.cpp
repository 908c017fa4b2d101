// SPDX-License-Identifier: MIT
#include "header_lines.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "info_page.hpp"

namespace perfdata::tool {

void add_header_to(CLI::App& command, bool& wanted) {
    command.add_flag("--header", wanted, "Write first, as comments, what `perfdata info` shows of the recording")
        ->excludes("--json");
}

void write_header_lines(const Recording& recording, const Sink& to) {
    std::string text;
    InfoPage(recording, false, false).write_text([&](std::string_view part) { text += part; });
    std::string lines;
    for (std::string_view rest = text; !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        lines += line.empty() ? "#" : "# ";
        lines += line;
        lines += '\n';
    }
    to(lines + "#\n");
}

}  // namespace perfdata::tool
