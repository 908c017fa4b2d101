// SPDX-License-Identifier: MIT
// What `perfdata batch --do` does with each recording.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "perfdata/core/callback.hpp"

#include "tool/tool.hpp"

namespace perfdata::tool {

// BatchAction is a command whose options are parsed once, for many recordings. Copies mean the same command.
struct BatchAction {
    CLI::App* command = nullptr;
    Common* common = nullptr;  // of the parsed options
    // Says what is wrong with the parsed options, whatever the recording; an empty text if nothing is. It may be empty.
    Callback<std::string()> check = {};
    // Runs the command with these common options in place of the parsed ones, and returns the exit code. May be called
    // on several threads, each with a scope of its own.
    Callback<int(const Common&)> run = {};
    // The end of a document's name in --out, behind a dot; empty: that of JSON.
    std::string ending = {};
    // False: the document is no JSON, and goes into files alone.
    bool in_lines = true;
};

// Each adds the subcommand to an app that only parses.
BatchAction batch_info(CLI::App& app);
BatchAction batch_profile(CLI::App& app);
BatchAction batch_report(CLI::App& app);

}  // namespace perfdata::tool
