// SPDX-License-Identifier: MIT
// What stands in the fields of a report.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "perfdata/annotate/report/report.hpp"

#include "format/words.hpp"

namespace perfdata {

// key_text(report, row, key) is a row's field for people.
std::string key_text(const Report& report, const ReportRow& row, ReportKey key);

// TreeRoom is room for the names of a report's trees. Each node brings some, so that only names which are long and
// stand in very many nodes are shortened.
class TreeRoom {
  public:
    // next() is how many bytes the next node's name may have.
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
