// SPDX-License-Identifier: MIT
#include "percent_limit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "words.hpp"

namespace perfdata {

bool reaches(std::span<const EventCount> cells, std::span<const EventCount> whole, double limit) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        if (share(cells[column].periods, whole[column].periods) >= limit) return true;
    }
    return false;
}

std::uint64_t least_periods(std::uint64_t whole, double limit, Rounded rounded) {
    const auto share = static_cast<double>(whole) * (limit / 100);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rounded == Rounded::up ? std::ceil(share) : share));
}

std::string hidden_text(std::uint64_t count, std::string_view what, double limit) {
    if (count == 0) return {};
    return fmt::format("{} {}{} below --percent-limit {} left out", count, what, count == 1 ? "" : "s", limit);
}

}  // namespace perfdata
