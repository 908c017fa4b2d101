// SPDX-License-Identifier: MIT
// Runs a program to its end and measures its cost.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace perfdata::bench {

struct Cost {
    double cpu_seconds = 0;  // user and system, of all processes
    double wall_seconds = 0;
    double peak_mebibytes = 0;  // resident, of the process with most
    bool ended_well = false;    // with exit code 0
    bool stopped = false;       // at the time limit
};

// run(arguments) runs a program found in PATH and discards its output. Counts the processes that it starts and leaves
// behind, too: perf does not wait for its addr2line. Stops all of them after `most` of time; 0: never.
//
// The peak is what the kernel calls the maximum resident set: memory of the process, and the pages of mapped programs
// and libraries that it touched. Files read with read(2) are not part of it.
Cost run(const std::vector<std::string>& arguments, std::chrono::seconds most = {});

}  // namespace perfdata::bench
