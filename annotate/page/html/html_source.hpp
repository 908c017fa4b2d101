// SPDX-License-Identifier: MIT
// The source lines of a listing in source order.
#pragma once

#include <string_view>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"

namespace perfdata {

// HtmlSourceRow is one line; columns are merged.
struct HtmlSourceRow {
    std::string_view file;
    std::uint32_t line = 0;
    std::string_view text;
    EventCounts cells;
};

// HtmlSource: files in the order of their first code, lines ascending.
class HtmlSource {
  public:
    // shown: which of Listing::lines to show. Without any text there are no rows: line numbers alone say little.
    HtmlSource(const Listing& listing, const std::vector<bool>& shown);

    bool empty() const { return rows_.empty(); }
    const std::vector<HtmlSourceRow>& rows() const { return rows_; }
    // row_of(line): `line` is an index in Listing::lines and must be shown.
    std::size_t row_of(std::uint32_t line) const { return row_of_[line]; }
    // indent() returns the size of the white space that all texts begin with, in bytes.
    std::size_t indent() const;

  private:
    std::vector<HtmlSourceRow> rows_;
    std::vector<std::size_t> row_of_;
};

}  // namespace perfdata
