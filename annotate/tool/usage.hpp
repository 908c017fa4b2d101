// SPDX-License-Identifier: MIT
// What the tool says to a command line that asks for help, or that it does not understand.
#pragma once

#include <CLI/CLI.hpp>

namespace perfdata::tool {

// add_help(app, exit) adds `help [COMMAND]`, the same as COMMAND --help. It comes behind all other commands, whose help
// it brings into form.
void add_help(CLI::App& app, int& exit);

// answer(app, problem) writes help and version to standard output, and what is wrong to standard error. Gives the exit
// code.
int answer(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace perfdata::tool
