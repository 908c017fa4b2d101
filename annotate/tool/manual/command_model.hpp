// SPDX-License-Identifier: MIT
// The commands and options of the tool as plain data, for manual pages and completions. All of it is taken from the
// definitions that the tool parses its arguments with.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace perfdata::tool {

// Completes is what completes the value of an option.
enum class Completes { nothing, file, directory, words };

struct ManualOption {
    std::vector<std::string> names;  // "-i", "--input"; of an argument only "FILE"
    std::string value;               // "FILE"; empty: it takes none
    std::vector<std::string> words;  // that the value may be
    Completes completes = Completes::nothing;
    bool list = false;     // the value is a list of words, with commas between
    bool repeats = false;  // it may be given several times
    std::string help;      // sentences, without a full stop behind the last one
};

struct ManualGroup {
    std::string title;  // empty: options that are in no group
    std::vector<ManualOption> options;
};

struct ManualCommand {
    std::string name;     // empty: the tool itself
    std::string summary;  // a line without a full stop
    std::string text;     // paragraphs; lines with spaces in front are examples
    std::string footer;
    std::vector<ManualOption> arguments;
    std::vector<ManualGroup> groups;
};

// describe_commands(app) returns the tool itself and then each command, in the order of their definition.
std::vector<ManualCommand> describe_commands(const CLI::App& app);

// first_sentence(help) returns what fits beside an option in a list of completions.
std::string first_sentence(const std::string& help);

}  // namespace perfdata::tool
