// SPDX-License-Identifier: MIT
// What is in a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace perfdata::test {

inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// count(text, part) counts the places that do not overlap.
inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

}  // namespace perfdata::test
