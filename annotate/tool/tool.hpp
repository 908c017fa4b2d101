// SPDX-License-Identifier: MIT
// What the subcommands of the tool share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"

#include "tool/options/option_values.hpp"
#include "tool/output/output.hpp"
#include "tool/output/output_format.hpp"

namespace perfdata::tool {

enum ExitCode : int { fine = 0, failed = 1, usage = 2, losses = 3 };

// Common is the options that every subcommand has.
struct Common {
    std::string file = "perf.data";
    std::string output = "-";
    std::string color = "auto";
    std::string format;  // in run(): one that the command has, as --format, --json or the ending of `output` says
    bool json = false;   // in run(): whether that is JSON
    bool strict = false;
    bool quiet = false;
    std::uint64_t max_memory = 0;  // bytes; 0: not given

    // In run(): where `output` leads, nothing for standard output; and which files the command line has named.
    std::optional<OutputPlace> place;
    TakenFiles taken;

    // add_to(command, formats): the first of them is the default.
    void add_to(CLI::App& command, std::vector<Format> formats = {Format::text, Format::json});
    // add_format_to(command, help) adds --format.
    void add_format_to(CLI::App& command, const char* help);
    // add_stdio_to(command) adds --stdio, which asks for text.
    void add_stdio_to(CLI::App& command);
    // on_run(command, exit, run): run() does what the command does once the output is known to be none of the inputs,
    // and gives the exit code. `run` keeps this alive.
    template <class Run>
    void on_run(CLI::App& command, int& exit, Run run) {
        command.callback([this, &command, &exit, run] {
            const auto problem = prepare(command);
            exit = problem ? *problem : run();
        });
    }

    // open() opens the recording. With --max-memory this process gets no more from then on.
    Result<Recording> open() const;
    Result<Output> open_output() const { return Output::open(place); }
    // commit(written) ends the writing, and says if an old file had to be written in place.
    Result<void> commit(Output& written) const;

  private:
    std::optional<int> prepare(const CLI::App& command);
    void take_inputs(const CLI::App& command);
    // The first file besides the recording that the command line wants read and that cannot be.
    static std::optional<Error> unreadable_input(const CLI::App& command);
    void choose_format(const CLI::App& command);

    std::vector<Format> formats_;
    bool stdio_ = false;
};

// begin_anew(command, options) comes behind all options: whenever the command is parsed, they begin as they are now, so
// that a program can run it several times. None is an empty text.
template <class Options>
void begin_anew(CLI::App& command, const std::shared_ptr<Options>& options) {
    refuse_empty(command);
    command.preparse_callback([options, initial = *options](std::size_t) { *options = initial; });
}

// refuse_taken(option, name, role) throws the error of an output that is a file with another role (exit code 2).
[[noreturn]] void refuse_taken(const std::string& option, const std::string& name, const std::string& role);

// no_directory(name) is the check of an option that names a directory to read from: why it is none, or nothing.
std::string no_directory(const std::string& name);

// wants_color(common, output): --color, else NO_COLOR, CLICOLOR_FORCE, TERM and whether the output is a terminal.
bool wants_color(const Common& common, const Output& output);

// complain(...) prints one line to stderr: "perfdata: ...". It never throws; complain_of_memory() needs no memory.
void complain(std::string_view message) noexcept;
void complain(const Error& error) noexcept;
void complain_of_memory() noexcept;
// warn_losses(...) tells what could not be read, unless --quiet.
void warn_losses(const Common& common, const Completeness& completeness);

// exit_code(common, completeness) is `losses` under --strict if something could not be read. `other_losses`: what was
// read could not be shown as it was asked for, callers in stacks that are not unwound for example.
int exit_code(const Common& common, const Completeness& completeness, bool other_losses = false);

// Subcommands: each adds its options and sets a callback that stores its exit code.
void add_annotate(CLI::App& app, int& exit);
void add_bpf(CLI::App& app, int& exit);
void add_dump(CLI::App& app, int& exit);
void add_extract(CLI::App& app, int& exit);
void add_info(CLI::App& app, int& exit);
void add_script(CLI::App& app, int& exit);
void add_symbols(CLI::App& app, int& exit);
void add_report(CLI::App& app, int& exit);

}  // namespace perfdata::tool
