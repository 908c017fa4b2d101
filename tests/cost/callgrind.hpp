// SPDX-License-Identifier: MIT
// Counts the instructions of a program.
#pragma once

#include <string>
#include <vector>

namespace perfdata::test {

// cost_tool() returns the tool to measure: PERFDATA_COST_TOOL in the environment, or the one of this build. It must be
// optimised, or the figures mean nothing.
std::string cost_tool();

// instructions(program, arguments, folder) runs the program under callgrind and returns how many instructions it
// executed. Its output is lost; its messages are in `folder`. Throws std::runtime_error unless it ends with status 0.
double instructions(const std::string& program, const std::vector<std::string>& arguments, const std::string& folder);

}  // namespace perfdata::test
