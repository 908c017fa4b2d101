// SPDX-License-Identifier: MIT
// The tool's command line: all commands with their options. What is made of it (help, manual pages, completions) says
// the same.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace perfdata::tool {

// Returns the version on a line of its own, then how the tool was built.
std::string version_text();

// reversed_words(words) returns the arguments in CLI11's order, last first. "--comm=" becomes two words: CLI11 would
// take the next argument as its value.
std::vector<std::string> reversed_words(const std::vector<std::string>& words);

// make_command_line(exit) returns the command line of the tool. Commands store their exit code in `exit`, which must
// outlive it.
std::unique_ptr<CLI::App> make_command_line(int& exit);

}  // namespace perfdata::tool
