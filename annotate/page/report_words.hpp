// SPDX-License-Identifier: MIT
// The text in a report's fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "perfdata/annotate/report/report.hpp"

#include "format/words.hpp"

namespace perfdata {

// key_text(report, row, key) returns a row's field for users.
std::string key_text(const Report& report, const ReportRow& row, ReportKey key);

// key_title(report, key) returns the heading of its column; it lives as long as the report.
std::string_view key_title(const Report& report, ReportKey key);

// tree_text(place, key) returns what text calls a node of a tree: "leaf", "leaf+0x14 a.c:12" or "leaf a.c:12".
std::string tree_text(const ReportPlace& place, TreeKey key);

// TreeRoom is the room for names in a report's trees. Each node adds some, so only long names in very many nodes are
// shortened.
class TreeRoom {
  public:
    // next() returns the most bytes for the next node's name.
    std::size_t next() {
        constexpr std::size_t each = 256, least = 64;
        left_ += each;
        return std::clamp(left_, least, most_shown);
    }
    void take(std::size_t bytes) { left_ -= std::min(left_, bytes); }

  private:
    std::size_t left_ = std::size_t{1} << 20;
};

}  // namespace perfdata
