// SPDX-License-Identifier: MIT
#include "made_lines.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata {

void MadeLines::add(stored::Ref<stored::Function> row, const Frame& function, std::uint64_t size) {
    const auto& symbolizer = making_.symbolizer;
    stored::Lines lines;
    lines.function = row;
    const auto origin = symbolizer.lines_origin(function);
    lines.origin = origin.kind;
    if (origin.kind != LinesOrigin::Kind::none) {
        const auto id = reinterpret_cast<std::uintptr_t>(origin.from);
        lines.from = origins_.of(static_cast<unsigned>(origin.kind), id, origin_path(symbolizer, function));
        lines.at = origin.at;
    }
    Result<std::vector<LineStart>> starts;
    if (starts_left_ != 0) starts = symbolizer.lines(function, size);
    std::optional<Error> problem;
    if (starts_left_ == 0 || (starts && starts->size() > starts_left_)) {
        constexpr std::string_view why =
            "there are more lines than there is room for: those of some functions are left "
            "out";
        making_.partial("lines", why);
        starts_left_ = 0;
        starts = fail(ErrorCode::limit, Error::no_offset, "lines of the profile", std::string(why));
    }
    if (starts) {
        starts_left_ -= starts->size();
        shared_.clear();
        lines.starts.reserve(starts->size());
        for (const auto& start : *starts) {
            lines.starts.push_back({start.offset, start.instruction, place(start.source), calls(start.inlined)});
        }
        problem = symbolizer.lines_problem(function, *starts);
    } else {
        lines.failed = true;
        problem = starts.error();
    }
    if (problem) lines.problem.push_back(making_.problem(*problem, symbolizer.is_line_loss(function, *problem)));
    making_.model.lines.push_back(std::move(lines));
}

MadeLines::At MadeLines::at(const Frame& frame) {
    const auto starts = making_.symbolizer.lines(frame, 1);
    if (!starts || starts->empty() || starts->front().offset != 0) return {};
    shared_.clear();
    return {place(starts->front().source), calls(starts->front().inlined)};
}

stored::Ref<stored::SourcePlace> MadeLines::place(const SourceLine& line) {
    return places_({making_.text(line.file), line.line, line.column, making_.text(line.text)});
}

// The calls are innermost first; a row refers to the one around it.
stored::Ref<stored::Call> MadeLines::calls(const InlinedCalls& calls) {
    if (calls.empty()) return {};
    const auto [entry, is_new] = shared_.try_emplace(calls.data());
    if (!is_new) return entry->second;
    const auto kept = std::min(calls.size(), stored::most_depth);
    if (kept < calls.size()) {
        making_.partial("inlined calls", "some are nested deeper than there is room for: the outermost are left out");
    }
    stored::Ref<stored::Call> outer;
    for (auto at = kept; at-- > 0;) {
        const auto& call = calls.data()[at];
        outer = calls_({outer, making_.text(call.function), place(call.call)});
    }
    return entry->second = outer;
}

}  // namespace perfdata
