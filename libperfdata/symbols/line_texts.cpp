// SPDX-License-Identifier: MIT
#include "line_texts.hpp"

#include <map>
#include <utility>

namespace perfdata {

std::string_view LineTexts::keep(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    const auto known = kept_.find(text);
    return known != kept_.end() ? *known : *kept_.emplace(text).first;
}

std::vector<LineStart> LineTexts::add_to(std::vector<LineStart> lines, const std::string& built) {
    // Old and new chains by address: lines that shared a chain share its copy.
    std::map<const InlinedCall*, std::pair<InlinedCalls, InlinedCalls>> chains;
    for (auto& line : lines) {
        add_to(line.source, built);
        if (line.inlined.empty()) continue;
        auto& [bare, with_text] = chains[line.inlined.data()];
        if (bare.empty()) {
            bare = line.inlined;  // keeps the old chain alive: no other one gets its address
            std::vector<InlinedCall> calls(bare.begin(), bare.end());
            for (auto& call : calls) add_to(call.call, built);
            with_text = InlinedCalls(std::move(calls));
        }
        line.inlined = with_text;
    }
    return lines;
}

}  // namespace perfdata
