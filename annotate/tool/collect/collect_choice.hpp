// SPDX-License-Identifier: MIT
// The options of perfdata collect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bundle/trimmed_object.hpp"
#include "tool/options/line_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {

struct CollectChoice {
    Common common;
    NameChoice names;
    LineChoice lines;
    std::string debug = "lines";
    bool sources = false;
    bool vmlinux = false;
    bool check = false;
    bool anonymize = false;
    bool private_files = false;
    std::string key;                 // a file
    std::vector<std::string> roots;  // "PID=DIR"

    bool is(Format format) const { return common.format == option_word(format); }
    // Returns true if files of this machine count.
    bool machine() const { return !names.offline && names.symfs.empty(); }
    DebugDetail debug_detail() const;
    // Returns why these options do not go together; empty: they do.
    std::string contradiction() const;
};

// Returns pid and directory of "PID=DIR"; nothing if it is none.
std::optional<std::pair<std::uint32_t, std::string>> parse_root(const std::string& text);
// Returns why a text is no PID=DIR, for CLI11; empty: it is.
std::string no_root(const std::string& text);

// Says which options have no effect: a bundle that is packed again has what it has, and a recording may not have the
// processes that they name. The session has read its timeline.
void note_unused(const CollectChoice& choice, const Session& session);

}  // namespace perfdata::tool
