// SPDX-License-Identifier: MIT
// Where source files of a recording are on this machine.
#pragma once

#include <string>
#include <vector>

namespace perfdata::tool {

// Returns the path of a file for each path that debug information has; empty where there is none. In each of the
// directories the longest end of the path that leads to a file counts, the first directory first. With `local`, an
// absolute path may be one of this machine.
std::vector<std::string> source_places(const std::vector<std::string>& recorded,
                                       const std::vector<std::string>& directories, bool local);

}  // namespace perfdata::tool
