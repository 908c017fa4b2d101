// SPDX-License-Identifier: MIT
#include "report_lines.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace perfdata {
namespace {

constexpr std::uint64_t window = 64;                        // bytes of code that are asked for at once
constexpr std::size_t most_kept = std::size_t{1} << 18;     // lines of windows
constexpr std::size_t most_windows = std::size_t{1} << 17;  // with lines or without
constexpr unsigned most_reads = 16;                         // of one list, for functions of other sizes

}  // namespace

ReportLines::Read ReportLines::read(const Frame& begin, std::uint64_t size) const {
    auto starts = symbolizer_.lines(begin, size);
    if (!starts) return {{}, std::move(starts.error())};
    Lines lines;
    lines.reserve(starts->size());
    for (const auto& start : *starts) lines.push_back({start.offset, start.source.file, start.source.line});
    auto problem = problem_of(begin, lines);
    return {std::move(lines), std::move(problem)};
}

// Says why some are missing where reading them is no error.
std::optional<Error> ReportLines::problem_of(const Frame& function, const Lines& lines) const {
    if (function.is_code()) {
        const auto* load = symbolizer_.timeline().load_of(function);
        return lines.empty() && load != nullptr ? symbolizer_.bpf().problem(*load) : std::nullopt;
    }
    const auto nameless = [](const Line& line) { return line.file.empty(); };
    const bool list = symbolizer_.lines_origin(function).kind == LinesOrigin::Kind::list;
    if (list && std::ranges::none_of(lines, nameless)) return {};
    return symbolizer_.lines_problem(function, {});
}

// One of each kind is enough for a file: each row may have words of its own.
void ReportLines::tell(const Frame& frame, const Error& error) {
    const auto* from = symbolizer_.lines_origin(frame).from;
    if (told_.insert({from, error.code}).second) {
        problems_.push_back({error, symbolizer_.is_line_loss(frame, error)});
    }
}

const ReportLines::Read& ReportLines::listed(const Source& source, const Frame& function, std::uint64_t size) {
    auto& list = lists_[source];
    // Lines of a longer function are those of a shorter one and some behind it. Compilers do not change the size of
    // what they move, and files shall not make one list be read again and again.
    if (list.reads == 0 || (list.size < size && list.reads < most_reads)) {
        list.read = read(function, size);
        list.size = size;
        ++list.reads;
    }
    return list.read;
}

const ReportLines::Lines& ReportLines::around(const Frame& begin) {
    if (kept_ > most_kept || windows_.size() >= most_windows) {
        windows_ = {};
        window_lines_.clear();
        kept_ = 0;
    }
    const auto number = windows_.intern(begin);
    if (number == window_lines_.size()) {
        window_lines_.push_back(read(begin, window - begin.offset % window).lines);
        kept_ += window_lines_.back().size();
    }
    return window_lines_[number];
}

const ReportLines::Line* ReportLines::find(const Lines& lines, std::uint64_t offset) {
    const auto after = std::ranges::upper_bound(lines, offset, {}, &Line::offset);
    return after == lines.begin() ? nullptr : &*std::prev(after);
}

std::string ReportLines::line_of(const Frame& frame, bool shown) {
    auto [begin, size, address] = symbolizer_.extent(frame);
    begin.mode = CpuMode::unknown;  // the lines are the same in every mode
    const auto offset = frame.offset - begin.offset;
    const Line* line = nullptr;
    const std::optional<Error>* problem = nullptr;
    Read own;
    const auto origin = symbolizer_.lines_origin(frame);
    switch (origin.kind) {
        case LinesOrigin::Kind::list: {
            const auto& list = listed({origin.from, origin.at}, begin, size);
            line = find(list.lines, offset);
            // Where other lines are missing, this one may be one that there is not.
            if (list.lines.empty() || (line != nullptr && line->file.empty())) problem = &list.problem;
            break;
        }
        case LinesOrigin::Kind::file: {
            // Not in front of the function: sections of relocatable files have addresses of their own.
            auto first = begin;
            first.offset = std::max(begin.offset, frame.offset - frame.offset % window);
            line = find(around(first), frame.offset - first.offset);
            // Where a file is named, but no line, compilers say that there is none.
            if (line != nullptr && !line->file.empty()) break;
            // What is wrong with the lines around it is no matter here, and lines around it do not say whether
            // something is wrong with this one.
            auto exact = frame;
            exact.mode = CpuMode::unknown;
            own = read(exact, 1);
            line = find(own.lines, 0);
            problem = &own.problem;
            break;
        }
        case LinesOrigin::Kind::none: break;
    }
    if (!is_known(line)) {
        if (shown && problem != nullptr && *problem) tell(frame, **problem);
        return "??:0";
    }
    return fmt::format("{}:{}", line->file, line->line);
}

}  // namespace perfdata
