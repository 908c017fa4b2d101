// SPDX-License-Identifier: MIT
// Answers to requests for help and to invalid command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace perfdata::tool {

// What help and manual pages say: the first line of a command's description, without a full stop; the heading of a
// group of alternatives; and the spellings of an option, short ones first.
std::string summary(const CLI::App& command);
std::string heading(const CLI::App& part);
std::vector<std::string> option_names(const CLI::Option& option);

// add_help(app, exit) adds `help [COMMAND]`, the same as COMMAND --help. Call it after adding all other commands,
// because it formats their help.
void add_help(CLI::App& app, int& exit);

// answer(app, problem) prints help and version to standard output, errors and where the help is to standard error, and
// returns the exit code.
int answer(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace perfdata::tool
