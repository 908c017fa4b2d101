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
    // A line may be long, and comes in parts.
    constexpr std::size_t block = std::size_t{1} << 16;
    std::string lines;
    bool begins = true;
    const auto comment = [&](std::string_view part) {
        while (!part.empty()) {
            if (begins) lines += part.front() == '\n' ? "#" : "# ";
            const auto line = part.substr(0, part.find('\n')).size() + 1;
            const auto piece = part.substr(0, std::min(line, block));
            lines += piece;
            begins = piece.back() == '\n';
            part.remove_prefix(piece.size());
            if (lines.size() < block) continue;
            to(lines);
            lines.clear();
        }
    };
    InfoPage(recording, false, false).write_text(comment);
    to(lines + "#\n");
}

}  // namespace perfdata::tool
