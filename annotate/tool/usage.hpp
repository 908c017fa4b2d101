// SPDX-License-Identifier: MIT
// Answers to requests for help and to invalid command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::tool {

// What help and manual pages say: the first line of a command's description, without a full stop; the heading of a
// group of alternatives; and the spellings of an option, short ones first.
std::string summary(const CLI::App& command);
std::string heading(const CLI::App& part);
std::vector<std::string> option_names(const CLI::Option& option);

// about_word_of_stat(word) says what becomes of a word that follows `perf stat`: `perfdata stat report` takes it for a
// file. Empty for other words.
std::string about_word_of_stat(std::string_view word);
// is_cache_level(word) returns true for "L1" to "L4", also with "l": the levels of caches that perf knows.
bool is_cache_level(std::string_view word);

// format_help(app) gives the help of all its commands its form. Call it after adding them.
void format_help(CLI::App& app);
// add_help(app, exit) does so, and adds `help [COMMAND]`, the same as COMMAND --help. Call it after adding all other
// commands.
void add_help(CLI::App& app, int& exit);

// answer(app, problem) prints help and version to standard output, errors and where the help is to standard error, and
// returns the exit code.
int answer(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace perfdata::tool
