// SPDX-License-Identifier: MIT
// The names of the documents that `perfdata batch --out DIR` writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfdata::tool {

// flat_name(path, ending) returns the name of a file for what is made of a path, so that different paths have different
// names: / becomes +, and other bytes that would mislead (+ itself, %, control characters, bytes beyond ASCII, a first
// dot or hyphen) become %XX. Parts that change nothing are left out: "./", "//". Names that would be too long for a
// file system are cut, and end in a hash of the path.
std::string flat_name(std::string_view path, std::string_view ending);

// flat_names(paths, ending) returns one name for each path, in their order. Equal paths have the same name. Where two
// others would have the same name, the later one gets a number: "a.data-2.info.json".
std::vector<std::string> flat_names(const std::vector<std::string>& paths, std::string_view ending);

}  // namespace perfdata::tool
