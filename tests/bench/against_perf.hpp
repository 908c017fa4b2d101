// SPDX-License-Identifier: MIT
// Whole commands of the tool, and perf's that write the same.
#pragma once

#include <string>
#include <vector>

namespace perfdata::bench {

// Spread is the median of several values, the least and the greatest.
struct Spread {
    double median = 0, least = 0, most = 0;
};

// Compared is one command: CPU time and peak memory of both, on one thread, and what two threads change.
struct Compared {
    std::string what;
    Spread perf_seconds, seconds;                  // of CPU
    Spread faster;                                 // perf's CPU time / ours of the same round
    double aim = 0;                                // what `faster` should reach; 0: none
    double wall_gain = 0;                          // wall time with -j 1 / with -j 2; 0: the command has no -j
    double plain_seconds = 0, of_plain = 0;        // CPU of the plain loop for it, and ours / that; 0: there is none
    double perf_peak = 0, peak = 0, peak_aim = 0;  // MiB; 0: no aim
    double plain_peak = 0;                         // of the plain loop
};

// hottest_function(path) returns the user function with most samples, which perf can annotate as well; empty: none.
std::string hottest_function(const std::string& path);

// against_perf(path, tool, rounds) measures a recording. Both run in turn, in as many rounds. Throws
// std::runtime_error if a command fails.
std::vector<Compared> against_perf(const std::string& path, const std::string& tool, int rounds);

// gain_of_two(path, rounds) returns what a second CPU is worth here: the wall time of two plain loops one after the
// other / that of both at once. No command on two threads can gain more.
double gain_of_two(const std::string& path, int rounds);

void print(const std::string& path, const std::vector<Compared>& table);

// Compares listings of all BPF programs with our own report of the same file, if it has any: perf has no equivalent.
void against_report(const std::string& path, const std::string& tool, int rounds);

struct Measured {
    std::string path;
    std::vector<Compared> table;
};
// write_json(file, results) writes an array of recordings. Throws std::runtime_error if that fails.
void write_json(const std::string& file, const std::vector<Measured>& results);

}  // namespace perfdata::bench
