// SPDX-License-Identifier: MIT
#include "absent_code.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/words.hpp"
#include "near_names.hpp"

namespace perfdata::tool {

std::vector<std::string> absent_code(const CodeFilter& wanted, const SampleCounts& counts, const Symbolizer& symbolizer,
                                     const std::string& samples) {
    const auto absent = [&](std::vector<std::string> names, auto filter) {
        std::erase_if(names, [&](const std::string& name) {
            return std::ranges::any_of(counts.frames(), [&](const Frame& frame) {
                return symbolizer.functions().left_out(frame, filter(name)) == CodePart::none;
            });
        });
        return names;
    };
    const auto objects = absent(wanted.objects, [](const std::string& name) { return CodeFilter{{}, {name}, {}}; });
    const auto symbols = absent(wanted.symbols, [](const std::string& name) { return CodeFilter{{}, {}, {name}}; });
    if (objects.empty() && symbols.empty()) return {};

    std::set<std::string> other_objects, other_symbols;
    for (const auto& frame : counts.frames()) {
        const auto name = symbolizer.name(frame);
        other_symbols.insert(symbol_label(name.symbol, frame.offset));
        other_objects.emplace(name.object);
        other_objects.insert(object_label(name.object, name.kind));
        if (frame.is_code()) other_symbols.emplace(symbolizer.bpf().plain_name(frame.index).name);
    }
    other_objects.erase(std::string());
    other_symbols.erase(std::string());
    auto notes =
        absent_notes("--dso", samples + " in an object called", objects, {other_objects.begin(), other_objects.end()});
    for (auto& note : absent_notes("--symbols", samples + " in a function called", symbols,
                                   {other_symbols.begin(), other_symbols.end()})) {
        notes.push_back(std::move(note));
    }
    return notes;
}

}  // namespace perfdata::tool
