// SPDX-License-Identifier: MIT
// The source lines of sampled addresses, one at a time: functions may be long and may overlap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// ReportLines reads the lines of a few bytes around an address and caches them for nearby addresses. For code with one
// list of lines (BPF programs, JIT code) it keeps each list once, however often it was loaded or moved.
class ReportLines {
  public:
    // The symbolizer must outlive it.
    explicit ReportLines(const Symbolizer& symbolizer) : symbolizer_(symbolizer) {}

    // line_of(frame, shown) returns "dir/a.c:12", or "??:0" if unknown. With `shown`, the reason is added to
    // problems().
    std::string line_of(const Frame& frame, bool shown);

    // problems() returns why shown lines were unknown: the first error of each kind per file.
    const std::vector<LineProblem>& problems() const { return problems_; }

  private:
    struct Line {
        std::uint64_t offset = 0;
        std::string_view file;  // lives as long as the symbolizer
        std::uint32_t line = 0;
    };
    using Lines = std::vector<Line>;  // by offset

    struct Read {
        Lines lines;
        std::optional<Error> problem;  // why all or some are missing
    };

    // List is the lines of a function's first `size` bytes.
    struct List {
        Read read;
        std::uint64_t size = 0;
        unsigned reads = 0;
    };
    // Source identifies a list: a record of a jitdump, or a function in a BPF program's info.
    using Source = std::tuple<const void*, std::uint64_t>;

    Read read(const Frame& begin, std::uint64_t size) const;
    std::optional<Error> problem_of(const Frame& function, const Lines& lines) const;
    void tell(const Frame& frame, const Error& error);
    const Read& listed(const Source& source, const Frame& function, std::uint64_t size);
    const Lines& around(const Frame& begin);
    static bool is_known(const Line* line) { return line != nullptr && line->line != 0 && !line->file.empty(); }
    static const Line* find(const Lines& lines, std::uint64_t offset);

    const Symbolizer& symbolizer_;
    std::set<std::tuple<const void*, ErrorCode>> told_;  // file and kind of each of problems_; log n each
    std::vector<LineProblem> problems_;
    std::map<Source, List> lists_;  // log n each
    InternTable<Frame> windows_;    // beginnings of those in window_lines_
    std::vector<Lines> window_lines_;
    std::size_t kept_ = 0;  // lines in all windows
};

}  // namespace perfdata
