// SPDX-License-Identifier: MIT
// The source lines of sampled addresses, one at a time: functions may be long, and lie over each other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/symbols/code_lines.hpp"
#include "perfdata/symbols/names.hpp"

namespace perfdata {

// ReportLines reads the lines of a few bytes around an address, and keeps some of that for the addresses next to it. Of
// code whose lines are one list (BPF programs, JIT code) it keeps each list once, whatever it was loaded or moved as.
class ReportLines {
  public:
    // Names and symbols must outlive it.
    ReportLines(const Names& names, const Symbols& symbols)
        : names_(names), code_lines_(names.timeline(), names, symbols) {}

    // line_of(frame) is "dir/a.c:12"; "??:0" where no line is known.
    std::string line_of(const Frame& frame);

  private:
    struct Line {
        std::uint64_t offset = 0;
        std::string_view file;  // lives as long as code_lines_
        std::uint32_t line = 0;
    };
    using Lines = std::vector<Line>;  // by offset

    // List is the lines of one function: those of its first `size` bytes.
    struct List {
        Lines lines;
        std::uint64_t size = 0;
        unsigned reads = 0;
    };
    // What a list is of: a record of a jitdump, or a function in the info of a BPF program.
    using Source = std::tuple<const void*, std::uint64_t>;

    Lines read(const Frame& begin, std::uint64_t size) const;
    const Lines& listed(const Source& source, const Frame& function, std::uint64_t size);
    const Lines& around(const Frame& begin);
    static const Line* find(const Lines& lines, std::uint64_t offset);

    const Names& names_;
    CodeLines code_lines_;
    std::map<Source, List> lists_;  // log n each
    InternTable<Frame> windows_;    // where those of window_lines_ begin
    std::vector<Lines> window_lines_;
    std::size_t kept_ = 0;  // of all windows
};

}  // namespace perfdata
