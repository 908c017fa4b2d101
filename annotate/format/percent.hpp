// SPDX-License-Identifier: MIT
// How percentages are written, in text and on the page.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "words.hpp"

namespace perfdata {

// percent_text(percent, places) returns "12.35", with so many digits behind the point. Ties go to the even digit, as in
// printf() and perf: 0.125 is "0.12". The function `fixed` of the page's script (page/html/page.js) rounds the same
// way.
inline std::string percent_text(double percent, int places = 2) {
    return fmt::format("{:.{}f}", percent, places);
}

// share_text(part, whole, places) does the same for share(part, whole).
inline std::string share_text(std::uint64_t part, std::uint64_t whole, int places = 2) {
    return percent_text(share(part, whole), places);
}

}  // namespace perfdata
