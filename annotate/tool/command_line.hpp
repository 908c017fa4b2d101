// SPDX-License-Identifier: MIT
// The tool's command line: all commands with their options. What is made of it (help, manual pages, completions) says
// the same.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace perfdata::tool {

// Returns the version on a line of its own, then how the tool was built.
std::string version_text();

// reversed_words(words) returns the arguments in CLI11's order, last first. "--comm=" becomes two words: CLI11 would
// take the next argument as its value.
std::vector<std::string> reversed_words(const std::vector<std::string>& words);

// make_command_line(exit, words) returns the command line of the tool. Commands store their exit code in `exit`, which
// must outlive it. If the first of the words, the arguments, names a command, and none is "help", the other commands
// are not there, nor is what the tool's own help says: CLI11 takes 10 million instructions for the options of all, 2 of
// the 6.3 ms that `perfdata info` took with them. No message of a command speaks of the others.
std::unique_ptr<CLI::App> make_command_line(int& exit, std::span<const std::string> words = {});

}  // namespace perfdata::tool
