// SPDX-License-Identifier: MIT
// What a cost case is: a way to make an input of any size, and the command that reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// Files writes the input of one size into a folder of its own.
class Files {
  public:
    explicit Files(std::string folder) : folder_(std::move(folder)) {}

    // write(name, content) makes a file, and the folders that lead to it, and gives its path.
    std::string write(const std::string& name, Bytes content) const;
    const std::string& folder() const { return folder_; }

  private:
    std::string folder_;
};

using Command = std::vector<std::string>;  // arguments of the tool

// CostCase is measured at 0, n and 2n: the instructions that 2n takes more than 0 are at most `most` times those that n
// takes more than 0. The tool must end with status 0.
struct CostCase {
    std::string_view name;
    std::size_t n;  // so many that they outweigh what does not grow, so few that a run takes a second
    // make(files, count) writes an input of `count` things and gives the command. The input of 0 has everything else.
    Command (*make)(const Files& files, std::size_t count);
    // Cases with the same word here have the same input of 0, which is measured once.
    std::string_view nothing = {};
    double most = 2.3;
    bool refused = false;  // a limit may end it before it costs anything
};

using CostCases = std::vector<CostCase>;

// One function a file; main.cpp has the list of them.
CostCases code_cases();
CostCases container_cases();
CostCases dwarf_cases();
CostCases line_cases();
CostCases record_cases();
CostCases symbol_cases();
CostCases table_cases();
CostCases task_cases();

}  // namespace perfdata::test
