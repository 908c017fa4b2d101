// SPDX-License-Identifier: MIT
#include "stored_lines.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "recording/stored/problems.hpp"

namespace perfdata {

StoredLines::StoredLines(const stored::Model& model) : model_(model) {}

const stored::Lines* StoredLines::lines_of(stored::Ref<stored::Function> function) const {
    const auto found = std::ranges::lower_bound(model_.lines, function, {}, &stored::Lines::function);
    return found != model_.lines.end() && found->function == function ? &*found : nullptr;
}

SourceLine StoredLines::source(stored::Ref<stored::SourcePlace> place) const {
    if (!place) return {};
    const auto& row = model_.at(place);
    return {model_.text(row.file), row.line, row.column, model_.text(row.text)};
}

bool StoredLines::add_line(const stored::LineStart& start, std::uint64_t offset, Chains& chains,
                           std::vector<LineStart>& lines) const {
    LineStart line{offset, start.instruction, source(start.place), {}};
    if (start.calls) {
        const auto [known, added] = chains.made.try_emplace(start.calls.number);
        if (added) {
            std::vector<InlinedCall> calls;
            for (auto call = start.calls; call; call = model_.at(call).outer) {
                if (++chains.calls > most_calls) return false;
                const auto& row = model_.at(call);
                calls.push_back({model_.text(row.function), source(row.place)});
            }
            known->second = InlinedCalls(std::move(calls));
        }
        line.inlined = known->second;
    }
    lines.push_back(std::move(line));
    return true;
}

Result<std::vector<LineStart>> StoredLines::lines(stored::Ref<stored::Function> function, std::uint64_t from,
                                                  std::uint64_t size) const {
    std::vector<LineStart> lines;
    const auto* known = lines_of(function);
    if (known == nullptr) return lines;
    if (known->failed) {
        if (!known->problem.empty()) return fail(stored::error(model_, known->problem.front()));
        return lines;
    }
    const auto& starts = known->starts;
    auto start = std::ranges::upper_bound(starts, from, {}, &stored::LineStart::offset);
    if (start != starts.begin()) --start;
    const bool list = known->origin.is(LinesOrigin::Kind::list);
    Chains chains;
    for (; start != starts.end(); ++start) {
        const auto offset = std::max(start->offset, from) - from;
        if (!list && offset >= size && offset != 0) break;
        if (add_line(*start, offset, chains, lines)) continue;
        return fail(ErrorCode::limit, Error::no_offset, std::string(model_.text(model_.at(function).symbol)),
                    "its lines have more inlined calls than there is room for");
    }
    return lines;
}

Result<std::vector<LineStart>> StoredLines::at(const stored::Frame& frame) const {
    std::vector<LineStart> lines;
    if (!frame.place) return lines;
    Chains chains;
    add_line({0, 0, frame.place, frame.calls}, 0, chains, lines);
    return lines;
}

LinesOrigin StoredLines::origin(stored::Ref<stored::Function> function) const {
    const auto* known = lines_of(function);
    if (known == nullptr) return {};
    // Files of one name may be others on other machines: their lists are no one's but the function's.
    const auto kind = known->origin.as<LinesOrigin::Kind>();
    const bool shares = known->from && (!model_.facts.merged || kind == LinesOrigin::Kind::file);
    const void* from = known;
    if (shares) from = &model_.at(known->from);
    return {kind, from, known->at};
}

std::optional<Error> StoredLines::problem(stored::Ref<stored::Function> function) const {
    const auto* known = lines_of(function);
    if (known == nullptr || known->failed || known->problem.empty()) return {};
    return stored::error(model_, known->problem.front());
}

bool StoredLines::is_loss(stored::Ref<stored::Function> function, const Error& error) const {
    const auto* known = lines_of(function);
    const bool same = known != nullptr && !known->problem.empty() &&
                      stored::error(model_, known->problem.front()).message() == error.message();
    return same ? known->problem.front().loss : perfdata::is_line_loss(error.code);
}

}  // namespace perfdata
