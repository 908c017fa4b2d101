// SPDX-License-Identifier: MIT
// What a perf map in a bundle has of the file.
#pragma once

#include <memory>
#include <string>

#include "perfdata/core/limits.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// Returns the lines that name code. Others become empty: their number is told of a bundle as it is of the file, and a
// file that is none of a perf map, but for its name, does not get into a bundle. Takes memory for the file twice.
// Errors: io, limit, cancelled, and malformed: no line names code.
Result<std::shared_ptr<const Source>> perf_map_lines(const Source& map, const std::string& where, const Limits& limits,
                                                     const Watch& watch);

}  // namespace perfdata
