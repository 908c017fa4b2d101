// SPDX-License-Identifier: MIT
// The source lines of a listing in the order of the source.
#pragma once

#include <string_view>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"

namespace perfdata {

// HtmlSourceRow is one line, whatever columns the compiler told apart in it.
struct HtmlSourceRow {
    std::string_view file;
    std::uint32_t line = 0;
    std::string_view text;
    EventCounts cells;
};

// HtmlSource: files in the order in which the code comes to them, lines ascending.
class HtmlSource {
  public:
    // shown: of Listing::lines, those that are wanted. Without any text there are no rows: numbers alone say little.
    HtmlSource(const Listing& listing, const std::vector<bool>& shown);

    bool empty() const { return rows_.empty(); }
    const std::vector<HtmlSourceRow>& rows() const { return rows_; }
    // row_of(line) is by index in Listing::lines, of one that is shown.
    std::size_t row_of(std::uint32_t line) const { return row_of_[line]; }
    // indent() is the white space that all texts begin with, in bytes.
    std::size_t indent() const;

  private:
    std::vector<HtmlSourceRow> rows_;
    std::vector<std::size_t> row_of_;
};

}  // namespace perfdata
