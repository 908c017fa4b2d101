// SPDX-License-Identifier: MIT
// The list of recordings that `perfdata batch` reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// A list is read as a whole: this bounds its memory, and that of all that is kept for its entries.
constexpr std::uint64_t most_list_bytes = std::uint64_t{256} << 20;

// split_list(text, separator) returns the paths between the separators, as they are; empty ones are no entries. Errors:
// malformed, if the text is no list of paths.
Result<std::vector<std::string>> split_list(std::string_view text, char separator);

// read_list(path, separator) reads a file, a pipe, or standard input (-) to its end. Errors: io, limit, malformed.
Result<std::vector<std::string>> read_list(const std::string& path, char separator);

}  // namespace perfdata::tool
