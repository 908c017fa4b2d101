// SPDX-License-Identifier: MIT
#include "report_lines.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace perfdata {
namespace {

constexpr std::uint64_t window = 64;                        // bytes of code per read
constexpr std::size_t most_kept = std::size_t{1} << 18;     // lines of windows
constexpr std::size_t most_windows = std::size_t{1} << 17;  // with lines or without
constexpr unsigned most_reads = 16;                         // of one list, for functions of different sizes

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

// Returns why lines are missing although reading them succeeded.
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

// Reports one error of each kind per file: each row may have its own message.
void ReportLines::tell(const Frame& frame, const Error& error) {
    const auto* from = symbolizer_.lines_origin(frame).from;
    if (told_.insert({from, error.code}).second) {
        problems_.push_back({error, symbolizer_.is_line_loss(frame, error)});
    }
}

const ReportLines::Read& ReportLines::listed(const Source& source, const Frame& function, std::uint64_t size) {
    auto& list = lists_[source];
    // Lines of a longer function extend those of a shorter one. Compilers do not resize code that they move; the limit
    // keeps a crafted file from making one list be read again and again.
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
            // If this line is missing or all are, the list's problem may be the reason.
            if (list.lines.empty() || (line != nullptr && line->file.empty())) problem = &list.problem;
            break;
        }
        case LinesOrigin::Kind::file: {
            // Stay within the function: sections of relocatable files have their own addresses.
            auto first = begin;
            first.offset = std::max(begin.offset, frame.offset - frame.offset % window);
            line = find(around(first), frame.offset - first.offset);
            // A file without a line number means that the compiler assigned no line: no problem.
            if (line != nullptr && !line->file.empty()) break;
            // Read this address alone: a problem of neighbouring lines does not concern it, and their success does not
            // prove that this one is intact.
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
