// SPDX-License-Identifier: MIT
// Fits text into a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"

namespace perfdata::tool {

// LineCutter passes text on, with each line cut to a number of columns: a longer one ends in "...". Colours (escape
// sequences up to 'm') take no room, and any other character takes one column. Its memory is one cut line.
class LineCutter {
  public:
    // `to` must outlive it. columns: 0 cuts nothing; else at least 8.
    LineCutter(Sink to, std::size_t columns) : to_(std::move(to)), columns_(columns) {}

    void write(std::string_view text);
    // end() writes an unfinished line. Returns how many lines were cut.
    std::size_t end();

  private:
    void add(char byte);
    void finish();

    Sink to_;
    std::size_t columns_;
    std::string line_, done_;
    std::size_t column_ = 0;   // characters of the line so far
    std::size_t kept_ = 0;     // bytes of line_ in front of "..."
    bool in_escape_ = false;   // within a colour
    bool is_colored_ = false;  // line_ up to kept_ has set a colour
    std::size_t cut_lines_ = 0;
};

}  // namespace perfdata::tool
