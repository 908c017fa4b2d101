// SPDX-License-Identifier: MIT
// The source lines of sampled addresses, one at a time: functions may be long, and lie over each other.
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

// ReportLines reads the lines of a few bytes around an address, and keeps some of that for the addresses next to it. Of
// code whose lines are one list (BPF programs, JIT code) it keeps each list once, whatever it was loaded or moved as.
class ReportLines {
  public:
    // The symbolizer must outlive it.
    explicit ReportLines(const Symbolizer& symbolizer) : symbolizer_(symbolizer) {}

    // line_of(frame, shown) is "dir/a.c:12"; "??:0" where no line is known. If that is to be shown, why is among
    // problems().
    std::string line_of(const Frame& frame, bool shown);

    // problems() is why lines were not known where they were to be shown: of each file the first of each kind of error.
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
        std::optional<Error> problem;  // why there are none, or some are missing
    };

    // List is the lines of one function: those of its first `size` bytes.
    struct List {
        Read read;
        std::uint64_t size = 0;
        unsigned reads = 0;
    };
    // What a list is of: a record of a jitdump, or a function in the info of a BPF program.
    using Source = std::tuple<const void*, std::uint64_t>;

    Read read(const Frame& begin, std::uint64_t size) const;
    std::optional<Error> problem_of(const Frame& function, const Lines& lines) const;
    void tell(const Frame& frame, const Error& error);
    const Read& listed(const Source& source, const Frame& function, std::uint64_t size);
    const Lines& around(const Frame& begin);
    static bool is_known(const Line* line) { return line != nullptr && line->line != 0 && !line->file.empty(); }
    static const Line* find(const Lines& lines, std::uint64_t offset);

    const Symbolizer& symbolizer_;
    std::set<std::tuple<const void*, ErrorCode>> told_;  // of problems_: what they are of; log n each
    std::vector<LineProblem> problems_;
    std::map<Source, List> lists_;  // log n each
    InternTable<Frame> windows_;    // where those of window_lines_ begin
    std::vector<Lines> window_lines_;
    std::size_t kept_ = 0;  // of all windows
};

}  // namespace perfdata
