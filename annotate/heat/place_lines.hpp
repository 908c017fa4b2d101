// SPDX-License-Identifier: MIT
// The source line of an address, with what was inlined there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/annotate/heat/source_heat.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "format/load_once.hpp"

namespace perfdata {

// PlaceLines reads the lines of a few bytes around an address at a time: ask by kind, index and offset of the frames.
// Code with one list of lines (BPF programs, JIT code) has each list read once, however often it was loaded or moved.
class PlaceLines {
  public:
    // The symbolizer must outlive it.
    PlaceLines(const Symbolizer& symbolizer, Watch watch)
        : symbolizer_(symbolizer), load_(symbolizer, CodeDetail::lines, std::move(watch)) {}

    struct Answer {
        const LineStart* line = nullptr;  // valid until the next question; null: `why`
        NoLine why = NoLine::no_lines;
    };
    // Returns nothing if it was asked to stop.
    std::optional<Answer> at(const Frame& frame);

    // Returns why lines were unknown: the first error of each kind per origin.
    std::vector<Error> take_problems() { return std::move(problems_); }

  private:
    using Lines = std::vector<LineStart>;
    // List is the lines of a function's first `size` bytes.
    struct List {
        Lines lines;
        std::optional<Error> problem;
        std::uint64_t size = 0;
        unsigned reads = 0;
    };

    const List& listed(const LinesOrigin& origin, const Frame& function, std::uint64_t size);
    Answer judge(const Lines& lines, std::uint64_t offset, const std::optional<Error>& problem, const Frame& frame);
    void read(const Frame& begin, std::uint64_t size, Lines& lines, std::optional<Error>& problem) const;

    Answer found_at(const Frame& frame);

    const Symbolizer& symbolizer_;
    LoadOnce load_;
    std::map<std::tuple<const void*, std::uint64_t>, List> lists_;  // log n each
    std::optional<Frame> window_;                                   // where window_lines_ begin
    Lines window_lines_, exact_;
    std::optional<Error> window_problem_;
    std::set<std::tuple<const void*, ErrorCode>> told_;
    std::vector<Error> problems_;
};

}  // namespace perfdata
