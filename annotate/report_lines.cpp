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

ReportLines::Lines ReportLines::read(const Frame& begin, std::uint64_t size) const {
    const auto starts = code_lines_.lines(begin, size);
    Lines lines;
    if (!starts) return lines;
    lines.reserve(starts->size());
    for (const auto& start : *starts) lines.push_back({start.offset, start.source.file, start.source.line});
    return lines;
}

const ReportLines::Lines& ReportLines::listed(const Source& source, const Frame& function, std::uint64_t size) {
    auto& list = lists_[source];
    // Lines of a longer function are those of a shorter one and some behind it. Compilers do not change the size of
    // what they move, and files shall not make one list be read again and again.
    if (list.reads == 0 || (list.size < size && list.reads < most_reads)) {
        list.lines = read(function, size);
        list.size = size;
        ++list.reads;
    }
    return list.lines;
}

const ReportLines::Lines& ReportLines::around(const Frame& begin) {
    if (kept_ > most_kept || windows_.size() >= most_windows) {
        windows_ = {};
        window_lines_.clear();
        kept_ = 0;
    }
    const auto number = windows_.intern(begin);
    if (number == window_lines_.size()) {
        window_lines_.push_back(read(begin, window - begin.offset % window));
        kept_ += window_lines_.back().size();
    }
    return window_lines_[number];
}

const ReportLines::Line* ReportLines::find(const Lines& lines, std::uint64_t offset) {
    const auto after = std::ranges::upper_bound(lines, offset, {}, &Line::offset);
    return after == lines.begin() ? nullptr : &*std::prev(after);
}

std::string ReportLines::line_of(const Frame& frame) {
    auto [begin, size, address] = names_.extent(frame);
    begin.mode = CpuMode::unknown;  // the lines are the same in every mode
    const auto offset = frame.offset - begin.offset;
    const Line* line = nullptr;
    Lines own;
    switch (frame.kind) {
        case FrameKind::code: {
            const auto& code = names_.timeline().code()[frame.index];
            if (!code.load) break;
            const auto* info = names_.timeline().loads()[*code.load].info;
            line = find(listed({info, code.range.begin.value}, begin, size), offset);
            break;
        }
        case FrameKind::jit: {
            const auto& function = names_.jit().function(frame.index);
            if (function.debug_at == 0) break;
            line = find(listed({&names_.jit().code(frame.index), function.debug_at}, begin, size), offset);
            break;
        }
        case FrameKind::object:
        case FrameKind::nowhere: {
            // Not in front of the function: sections of relocatable files have addresses of their own.
            auto first = begin;
            first.offset = std::max(begin.offset, frame.offset - frame.offset % window);
            line = find(around(first), frame.offset - first.offset);
            if (line != nullptr) break;
            // What is wrong with the lines around it is no matter here.
            auto exact = frame;
            exact.mode = CpuMode::unknown;
            own = read(exact, 1);
            line = find(own, 0);
            break;
        }
        case FrameKind::memory: break;
    }
    if (line == nullptr || line->line == 0 || line->file.empty()) return "??:0";
    return fmt::format("{}:{}", line->file, line->line);
}

}  // namespace perfdata
