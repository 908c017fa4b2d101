// SPDX-License-Identifier: MIT
#include "percent_limit.hpp"

#include <fmt/format.h>

#include "words.hpp"

namespace perfdata {

bool reaches(std::span<const EventCount> cells, std::span<const EventCount> whole, double limit) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        if (share(cells[column].periods, whole[column].periods) >= limit) return true;
    }
    return false;
}

std::string hidden_text(std::uint64_t count, std::string_view what, double limit) {
    if (count == 0) return {};
    return fmt::format("{} {}{} below --percent-limit {} left out", count, what, count == 1 ? "" : "s", limit);
}

}  // namespace perfdata
