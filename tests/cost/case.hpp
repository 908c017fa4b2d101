// SPDX-License-Identifier: MIT
// A cost case: generates an input of any size, and names the command that reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// Files writes the input of one size into a separate folder.
class Files {
  public:
    explicit Files(std::string folder) : folder_(std::move(folder)) {}

    // write(name, content) creates a file and its parent folders, and returns its path.
    std::string write(const std::string& name, Bytes content) const;
    const std::string& folder() const { return folder_; }

  private:
    std::string folder_;
};

// Clock returns a later time with each call.
struct Clock {
    std::uint64_t time = 1;
    std::uint64_t operator()() { return ++time; }
};

using Command = std::vector<std::string>;  // tool arguments

// CostCase is measured at 0, n and 2n. The instructions beyond the case of 0 may grow at most by the factor `most` from
// n to 2n. The tool must end with status 0.
struct CostCase {
    std::string_view name;
    std::size_t n;  // large enough to outweigh fixed costs, small enough to run in a second
    // make(files, count) writes an input of `count` things and returns the command. Everything else is the same in the
    // input of 0.
    Command (*make)(const Files& files, std::size_t count);
    // Cases with the same word share one input of 0, which is measured once.
    std::string_view nothing = {};
    double most = 2.3;
    bool refused = false;           // a limit may refuse it at low cost
    std::string_view program = {};  // what to measure instead of the tool
};

using CostCases = std::vector<CostCase>;

// One function per file; main.cpp lists them.
CostCases code_cases();
CostCases container_cases();
CostCases dwarf_cases();
CostCases export_cases();
CostCases line_cases();
CostCases payload_cases();
CostCases profile_cases();
CostCases record_cases();
CostCases shared_cases();
CostCases symbol_cases();
CostCases table_cases();
CostCases task_cases();
CostCases unwind_cases();

}  // namespace perfdata::test
