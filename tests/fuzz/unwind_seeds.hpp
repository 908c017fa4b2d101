// SPDX-License-Identifier: MIT
// Inputs to start from for fuzz_unwind.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// unwind_seeds() returns names and inputs.
std::vector<std::pair<std::string, Blob>> unwind_seeds();

}  // namespace perfdata::test
