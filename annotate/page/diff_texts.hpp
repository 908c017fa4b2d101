// SPDX-License-Identifier: MIT
// What pages of comparisons say in words.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/diff/diff.hpp"

namespace perfdata {

// whole_text(options) returns what 100 % is: "100 % is all periods of the event in each recording".
std::string whole_text(const DiffOptions& options);

// test_text(diff) names the test, what it was corrected for, and what it cannot tell: one sentence each.
std::vector<std::string> test_text(const Diff& diff);

// p_text(row) returns "0.0123", "<0.0001", or "-" where nothing was tested.
std::string p_text(const DiffRow& row);

}  // namespace perfdata
