// SPDX-License-Identifier: MIT
// The recordings under fixtures/bpf and the tables under fixtures/expect.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace oracle {

// fixtures() is every recording, by name; fails if there are suspiciously few.
std::vector<std::filesystem::path> fixtures();

// perf_fixtures() is every recording under fixtures that perf 6.1 reads rightly, directories included;
// expected_fixtures() are the others, of which fixtures/expect has the records.
std::vector<std::filesystem::path> perf_fixtures();
std::vector<std::filesystem::path> expected_fixtures();

// expectation(name) is the path of fixtures/expect/NAME.
std::filesystem::path expectation(const std::string& name);

// read_file(path) is its content; fails if there is none.
std::string read_file(const std::filesystem::path& path);

// read_table(path) is the fields of each line of a file of tab-separated values.
std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path);

// Opened is a recording with its timeline.
struct Opened {
    explicit Opened(const std::filesystem::path& path);

    perfdata::Recording recording;
    perfdata::Timeline timeline;
};

}  // namespace oracle
