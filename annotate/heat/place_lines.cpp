// SPDX-License-Identifier: MIT
#include "place_lines.hpp"

#include <algorithm>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t place_window = 64;  // bytes of code per read
constexpr unsigned most_list_reads = 16;    // of one list, for functions of different sizes

const LineStart* find(const std::vector<LineStart>& lines, std::uint64_t offset) {
    const auto after = std::ranges::upper_bound(lines, offset, {}, &LineStart::offset);
    return after == lines.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

void PlaceLines::read(const Frame& begin, std::uint64_t size, Lines& lines, std::optional<Error>& problem) const {
    lines.clear();
    problem.reset();
    auto starts = symbolizer_.lines(begin, size);
    if (starts) {
        lines = std::move(*starts);
    } else {
        problem = std::move(starts.error());
    }
}

const PlaceLines::List& PlaceLines::listed(const LinesOrigin& origin, const Frame& function, std::uint64_t size) {
    auto& list = lists_[{origin.from, origin.at}];
    // Lines of a longer function extend those of a shorter one. The limit keeps a crafted file from making one list be
    // read again and again.
    if (list.reads == 0 || (list.size < size && list.reads < most_list_reads)) {
        read(function, size, list.lines, list.problem);
        if (list.lines.empty() && !list.problem && function.is_code()) {
            const auto* load = symbolizer_.timeline().load_of(function);
            if (load != nullptr) list.problem = symbolizer_.bpf().problem(*load);
        }
        const auto nameless = [](const LineStart& line) { return line.source.file.empty(); };
        if (!list.problem && !function.is_code() && std::ranges::any_of(list.lines, nameless)) {
            list.problem = symbolizer_.lines_problem(function, list.lines);
        }
        list.size = size;
        ++list.reads;
    }
    return list;
}

PlaceLines::Answer PlaceLines::judge(const Lines& lines, std::uint64_t offset, const std::optional<Error>& problem,
                                     const Frame& frame) {
    const auto* line = find(lines, offset);
    if (line != nullptr && line->source.line != 0 && !line->source.file.empty()) return {line, NoLine::no_line};
    if (problem) {
        const auto* from = symbolizer_.lines_origin(frame).from;
        if (told_.insert({from, problem->code}).second) problems_.push_back(*problem);
        return {nullptr, symbolizer_.is_line_loss(frame, *problem) ? NoLine::damaged : NoLine::no_lines};
    }
    return {nullptr, line == nullptr ? NoLine::no_lines : NoLine::no_line};
}

std::optional<PlaceLines::Answer> PlaceLines::at(const Frame& frame) {
    if (!load_(frame)) return {};
    return found_at(frame);
}

PlaceLines::Answer PlaceLines::found_at(const Frame& frame) {
    if (frame.is_nowhere()) return {nullptr, frame.misses(Miss::not_kept) ? NoLine::limit : NoLine::nowhere};
    const auto origin = symbolizer_.lines_origin(frame);
    if (origin.kind == LinesOrigin::Kind::none) return {nullptr, NoLine::no_lines};
    auto [begin, size, address] = symbolizer_.extent(frame);
    begin.mode = CpuMode::unknown;  // the lines are the same in every mode
    if (origin.kind == LinesOrigin::Kind::list) {
        const auto& list = listed(origin, begin, size);
        return judge(list.lines, frame.offset - begin.offset, list.problem, frame);
    }
    // Stay within the function: sections of relocatable files have their own addresses.
    auto first = begin;
    first.offset = std::max(begin.offset, frame.offset - frame.offset % place_window);
    if (window_ != first) {
        window_ = first;
        read(first, place_window - first.offset % place_window, window_lines_, window_problem_);
    }
    const auto* line = find(window_lines_, frame.offset - first.offset);
    if (line != nullptr && line->source.line != 0 && !line->source.file.empty()) return {line, NoLine::no_line};
    // A file without a line number means that the compiler assigned no line.
    if (line != nullptr && !line->source.file.empty()) return {nullptr, NoLine::no_line};
    // Read this address alone: a problem of neighbouring lines does not concern it.
    auto exact = frame;
    exact.mode = CpuMode::unknown;
    std::optional<Error> problem;
    read(exact, 1, exact_, problem);
    if (!problem) problem = symbolizer_.lines_problem(exact, exact_);
    return judge(exact_, 0, problem, frame);
}

}  // namespace perfdata
