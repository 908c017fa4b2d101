// SPDX-License-Identifier: MIT
// Runs a program to its end and measures its cost.
#pragma once

#include <string>
#include <vector>

namespace perfdata::bench {

struct Cost {
    double cpu_seconds = 0;     // user and system
    double peak_mebibytes = 0;  // resident
    bool ended_well = false;    // with exit code 0
};

// run(arguments) runs a program found in PATH and discards its output.
Cost run(const std::vector<std::string>& arguments);

}  // namespace perfdata::bench
