// SPDX-License-Identifier: MIT
// Words that several pages have in common: titles of columns, and what is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perfdata {

// stacks_text(count) is "15 samples have a copy of their user stack, which is not unwound".
std::string stacks_text(std::uint64_t count);

// column_titles(names, width) is of each name its beginning, at most so many bytes; where two would be equal, its end
// behind "..", or "event 2".
std::vector<std::string> column_titles(std::vector<std::string> names, std::size_t width);

}  // namespace perfdata
