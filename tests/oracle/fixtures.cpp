// SPDX-License-Identifier: MIT
#include "fixtures.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "catch.hpp"

namespace oracle {
namespace {

template <class T>
T value_of(perfdata::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message());
    return std::move(*result);
}

constexpr std::string_view one_process = "bpf_facts.data";

// fixtures/expect has the results of our own program for these, see fixtures/MANIFEST.md.
constexpr std::string_view not_for_perf[] = {
    "killed.data",          // data size 0: perf refuses it
    "s390_basic.data",      // big-endian: perf 6.1 does not swap KSYMBOL, and the bytes it dumps are swapped
    "s390_bpf_pre.data",    // the same
    "s390_tp.data",         // the same
    "v72_defer.data",       // an attr larger than perf 6.1 knows
    "v72_meta.data",        // the same
    "v72_schedstats.data",  // records of perf 7
    "v72_threads.dir",      // an attr larger than perf 6.1 knows
    "v72_z.data",           // the same
};

}  // namespace

std::vector<std::filesystem::path> fixtures() {
    constexpr std::size_t least = 5;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(PERFDATA_FIXTURES "/bpf")) {
        // One process, without CPUs in its samples: see perf_fixtures().
        if (entry.path().filename() == one_process) continue;
        if (entry.path().extension() == ".data") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    REQUIRE(found.size() >= least);
    return found;
}

std::vector<std::filesystem::path> expected_fixtures() {
    std::vector<std::filesystem::path> found;
    for (const auto name : not_for_perf) {
        found.push_back(std::filesystem::path(PERFDATA_FIXTURES "/records") / name);
        INFO(found.back());
        REQUIRE(exists(found.back()));
    }
    return found;
}

std::vector<std::filesystem::path> perf_fixtures() {
    auto found = fixtures();
    found.push_back(std::filesystem::path(PERFDATA_FIXTURES "/bpf") / one_process);
    for (const auto& entry : std::filesystem::directory_iterator(PERFDATA_FIXTURES "/records")) {
        if (std::ranges::find(not_for_perf, entry.path().filename().string()) == std::end(not_for_perf)) {
            found.push_back(entry.path());
        }
    }
    std::ranges::sort(found);
    return found;
}

std::filesystem::path expectation(const std::string& name) {
    return std::filesystem::path(PERFDATA_FIXTURES "/expect") / name;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(file), {});
    INFO(path);
    REQUIRE(file);
    REQUIRE(!content.empty());
    return content;
}

std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
        auto& row = rows.emplace_back(1);
        for (const char c : line) {
            if (c == '\t') {
                row.emplace_back();
            } else {
                row.back() += c;
            }
        }
    }
    return rows;
}

Opened::Opened(const std::filesystem::path& path)
    : recording(value_of(perfdata::Recording::open(path.string()))),
      timeline(value_of(perfdata::Timeline::build(recording))) {}

}  // namespace oracle
