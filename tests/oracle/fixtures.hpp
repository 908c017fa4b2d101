// SPDX-License-Identifier: MIT
// The recordings under fixtures/bpf and the tables under fixtures/expect.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace oracle {

// fixtures() returns the recordings of whole machines with BPF programs, by name; fails if there are suspiciously few.
std::vector<std::filesystem::path> fixtures();

// perf_fixtures() returns every recording under fixtures that perf 6.1 reads correctly, directories included.
// expected_fixtures() returns the others, whose records are in fixtures/expect.
std::vector<std::filesystem::path> perf_fixtures();
std::vector<std::filesystem::path> expected_fixtures();

// expectation(name) returns the path of fixtures/expect/NAME.
std::filesystem::path expectation(const std::string& name);

// read_file(path) returns the content; fails the test if there is no file.
std::string read_file(const std::filesystem::path& path);

// read_table(path) returns the fields of each line of a file of tab-separated values.
std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path);

// Opened is a recording with its timeline.
struct Opened {
    explicit Opened(const std::filesystem::path& path);

    perfdata::Recording recording;
    perfdata::Timeline timeline;
};

}  // namespace oracle
