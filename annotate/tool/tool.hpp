// SPDX-License-Identifier: MIT
// What the tool's subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"

#include "tool/options/option_values.hpp"
#include "tool/output/output.hpp"
#include "tool/output/output_format.hpp"

namespace perfdata::tool {

struct RunScope;

// `held`: a condition of the user holds (diff --fail-if).
enum ExitCode : int { fine = 0, failed = 1, usage = 2, losses = 3, held = 4 };

// Common is the options of every subcommand.
struct Common {
    std::string file = "perf.data";
    std::vector<std::string> files;  // of a command that takes several: then `file` has no meaning
    std::string output = "-";
    std::string color = "auto";
    std::string format;  // in run(): one of the command's formats, from --format, --json or the ending of `output`
    bool json = false;   // in run(): the format is JSON; see also add_summary_to()
    bool strict = false;
    bool quiet = false;
    std::uint64_t max_memory = 0;  // bytes; 0: no limit

    // Says whether `output` is a directory that the command writes files to, once `format` is known. Empty: never.
    Callback<bool()> output_is_directory;

    // Returns the recordings of a command that reads others than `file`. Empty: `file` is the only one.
    Callback<std::vector<std::string>()> recordings;

    // What makes a recording for the command, to advise where there is none.
    std::string_view recorder = "perf record -a -g -- sleep 5";

    // In run(): the place of `output`, empty for standard output; and the files that the command line names.
    std::optional<OutputPlace> place;
    TakenFiles taken;
    bool file_by_default = false;  // in run(): the command line does not name `file`

    // Where messages and the document go if this run is one of many (perfdata batch). Null: to the process's own
    // streams. It must outlive the run.
    RunScope* scope = nullptr;

    // add_to(command, formats): the first format is the default.
    void add_to(CLI::App& command, std::vector<Format> formats = {Format::text, Format::json});
    // add_rest_to(command, formats) adds all of that but FILE and --input.
    void add_rest_to(CLI::App& command, std::vector<Format> formats = {Format::text, Format::json});
    void add_format_to(CLI::App& command, const char* help);
    // add_files_to(command, formats, help) does the same as add_to() for a command that takes several files.
    void add_files_to(CLI::App& command, std::vector<Format> formats, const char* help);
    // add_summary_to(command): --json writes a summary to standard output, and what -o gets stays what it is.
    void add_summary_to(CLI::App& command);
    // add_stdio_to(command) adds --stdio, a synonym for text.
    void add_stdio_to(CLI::App& command);
    // on_run(command, exit, run): run() does the command's work and returns the exit code. It is called after checking
    // that the output is not an input. `run` must keep this object alive.
    template <class Run>
    void on_run(CLI::App& command, int& exit, Run run) {
        command.callback([this, &command, &exit, run] {
            const auto problem = prepare(command);
            exit = problem ? *problem : run();
        });
    }

    // prepare_many(command) does what on_run() does before run(), for runs on many recordings, each with a scope. The
    // output is JSON, or with add_summary_to() the command's first format. Throws a usage error for options that choose
    // one recording or one output. Returns an exit code if a file that an option names cannot be read.
    std::optional<int> prepare_many(const CLI::App& command);

    // open(progress) opens the recording. With --max-memory it also limits the memory of this process from then on;
    // within a scope that was done before.
    Result<Recording> open(const Progress& progress = {}) const;
    // take_limits() returns the limits for what is read. With --max-memory it also limits the memory of this process
    // from then on. Errors: io.
    Result<Limits> take_limits() const;
    // open_output(permissions): those of a file that does not exist yet, before the umask.
    Result<Output> open_output(std::uint32_t permissions = 0666) const;
    // commit(written) ends the writing, and notes if an old file had to be written in place.
    Result<void> commit(Output& written) const;

  private:
    std::optional<int> prepare(const CLI::App& command);
    void claim_summary();
    void take_inputs(const CLI::App& command);
    void take_options(const CLI::App& command);
    // Returns an error for the first input file besides the recording that cannot be read.
    static std::optional<Error> unreadable_input(const CLI::App& command);
    void choose_format(const CLI::App& command);
    // Says which format a name gets that ends as no known format does, where users may mean another one.
    void note_default() const;
    Error about_directory(Error error) const;

    std::vector<Format> formats_;
    bool stdio_ = false;
    bool summary_ = false;  // --json is no format
};

// begin_anew(command, options) must follow all options. Each parse then starts with their current values, so that a
// program can run the command several times. It also rejects empty values.
template <class Options>
void begin_anew(CLI::App& command, const std::shared_ptr<Options>& options) {
    refuse_empty(command);
    command.preparse_callback([options, initial = *options](std::size_t) { *options = initial; });
}

// refuse_taken(option, name, role) throws a usage error (exit code 2): the output is a file with another role.
[[noreturn]] void refuse_taken(const std::string& option, const std::string& name, const std::string& role);

// limit_memory(bytes) limits the memory of this process. Errors: io.
Result<void> limit_memory(std::uint64_t bytes);

// no_directory(name) checks an option that names a directory to read. It returns the error, or an empty text.
std::string no_directory(const std::string& name);

// wants_color(common, output) obeys --color, else NO_COLOR, CLICOLOR_FORCE, TERM and whether the output is a terminal.
bool wants_color(const Common& common, const Output& output);

// complain(...) prints "perfdata: ..." to stderr, one line. It never throws; complain_of_memory() needs no memory.
void complain(std::string_view message) noexcept;
void complain(const Error& error) noexcept;
void complain_of_memory() noexcept;
// complain(common, ...) does the same, or leaves the message in the scope of the run.
void complain(const Common& common, std::string_view message) noexcept;
void complain(const Common& common, const Error& error) noexcept;
// warn_losses(...) reports what could not be read, unless --quiet.
void warn_losses(const Common& common, const Completeness& completeness);

// exit_code(common, completeness) returns `losses` under --strict if something could not be read. `other_losses`:
// something could not be shown as requested, for example callers in stacks that are not unwound.
int exit_code(const Common& common, const Completeness& completeness, bool other_losses = false);

// Each adds a subcommand with its options. Its callback stores the exit code.
void add_annotate(CLI::App& app, int& exit);
void add_batch(CLI::App& app, int& exit);
void add_bpf(CLI::App& app, int& exit);
void add_collect(CLI::App& app, int& exit);
void add_diff(CLI::App& app, int& exit);
void add_dump(CLI::App& app, int& exit);
void add_export(CLI::App& app, int& exit);
void add_extract(CLI::App& app, int& exit);
void add_info(CLI::App& app, int& exit);
void add_merge(CLI::App& app, int& exit);
void add_profile(CLI::App& app, int& exit);
void add_script(CLI::App& app, int& exit);
void add_stat(CLI::App& app, int& exit);
void add_symbols(CLI::App& app, int& exit);
void add_report(CLI::App& app, int& exit);

}  // namespace perfdata::tool
