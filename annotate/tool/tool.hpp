// SPDX-License-Identifier: MIT
// What the subcommands of the tool share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>

#include "perfdata/annotate/page.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata::tool {

enum ExitCode : int { fine = 0, failed = 1, usage = 2, losses = 3 };

// Common is the options that every subcommand has.
struct Common {
    std::string file = "perf.data";
    std::string output = "-";
    std::string color = "auto";
    bool json = false;
    bool strict = false;
    bool quiet = false;
    std::uint64_t max_memory = 0;  // bytes; 0: as the machine has

    void add_to(CLI::App& command);
    // open() opens the recording. With --max-memory this process gets no more from then on.
    Result<Recording> open() const;
};

// checked(parse) is the check of an option whose text `parse` must understand.
template <class Parse>
auto checked(Parse parse) {
    return [parse](const std::string& text) {
        const auto parsed = parse(text);
        return parsed ? std::string() : parsed.error().detail;
    };
}

// Output is standard output or a file. A file is written beside its place and moved there by commit(), so that nobody
// ever sees half of it.
class Output {
  public:
    static Result<Output> open(const std::string& path);
    // open_paged(path) shows what goes to a terminal with $PAGER, or with less if there is one.
    static Result<Output> open_paged(const std::string& path);
    Output(Output&& other) noexcept;
    Output& operator=(Output&&) = delete;
    ~Output();

    Sink sink();
    // commit() flushes. Errors: io; a reader of standard output that went away is none.
    Result<void> commit();
    bool is_terminal() const;

  private:
    Output() = default;

    std::FILE* file_ = nullptr;
    std::string path_, temporary_;
    bool paged_ = false;
    bool failed_ = false;
    int problem_ = 0;
};

// wants_color(common, output): --color, else NO_COLOR, CLICOLOR_FORCE, TERM and whether the output is a terminal.
bool wants_color(const Common& common, const Output& output);

// warn(...), complain(...) print one line to stderr: "perfdata: ...".
void complain(std::string_view message);
void complain(const Error& error);
void complain_of_memory();
// warn_losses(...) tells what could not be read, unless --quiet.
void warn_losses(const Common& common, const Completeness& completeness);

// exit_code(common, completeness) is `losses` under --strict if something could not be read.
int exit_code(const Common& common, const Completeness& completeness);

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
