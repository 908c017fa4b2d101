// SPDX-License-Identifier: MIT
// Compares what fixed work costs with figures that are kept beside the tests.
#pragma once

#include <string>

namespace perfdata::test {

// guard(folder, write) counts the instructions of each case, with inputs in `folder`, and compares them with
// figures.txt: each may be 3 % more or less. `write` puts them there instead. Returns the exit status: 0; 1 if one
// differs; 77 (skipped) if the tool was made by another compiler than the one of the figures.
int guard(const std::string& folder, bool write);

}  // namespace perfdata::test
