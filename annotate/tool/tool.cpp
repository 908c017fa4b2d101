// SPDX-License-Identifier: MIT
#include "tool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "perfdata/core/memory_limits.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "core/platform.hpp"
#include "core/platform_heap.hpp"
#include "tool/run_scope.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define PERFDATA_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERFDATA_ADDRESS_SANITIZER
#endif
#endif

namespace perfdata::tool {

namespace {

// Every option with a file type names an input, except -o.
bool is_input(const CLI::Option& option) {
    const auto type = option.get_type_name();
    return (type.starts_with("FILE") || type.starts_with("DIR|TAR")) && !option.check_lname("output");
}

}  // namespace

void Common::add_to(CLI::App& command, std::vector<Format> formats) {
    auto* file_option = command.add_option("FILE", file, "The recording (default perf.data; - is standard input)");
    command.add_option("-i,--input", file, "The same as FILE, as perf spells it")
        ->excludes(file_option)
        ->type_name("FILE");
    add_rest_to(command, std::move(formats));
}

void Common::add_files_to(CLI::App& command, std::vector<Format> formats, const char* help) {
    command.add_option("FILE", files, help)->required();
    add_rest_to(command, std::move(formats));
}

void Common::add_summary_to(CLI::App& command) {
    summary_ = true;
    command.get_option("--json")->description("Also write a summary as JSON to standard output");
}

void Common::add_rest_to(CLI::App& command, std::vector<Format> formats) {
    formats_ = std::move(formats);
    command
        .add_option("-o,--output", output,
                    fmt::format("Write to this file, and not to standard output. Its ending chooses the format: {}",
                                formats_in_words(formats_)))
        ->type_name("FILE");
    command.add_flag("--json", json, "Write JSON");
    command.add_flag("--strict", strict, "List all losses on standard error, and exit with 3 if there are any");
    command.add_flag("-q,--quiet", quiet, "No warnings");
    add_size(command, "--max-memory", max_memory,
             "Take no more memory than this, such as 512M: large parts of the recording are left out and told, or it "
             "fails. Default: no limit");
    command
        .add_option("--color,--stdio-color", color,
                    "Colours in text: auto (the default: on a terminal), always or never")
        ->check(one_of({"auto", "always", "never"}));
}

void Common::add_format_to(CLI::App& command, const char* help) {
    std::vector<std::string> words;
    for (const auto one : formats_) words.emplace_back(option_word(one));
    command.add_option("--format", format, help)->check(one_of(words));
}

void Common::add_stdio_to(CLI::App& command) {
    command.add_flag("--stdio", stdio_, "Text, as perf has it: the default")->excludes("--json");
}

std::optional<int> Common::prepare(const CLI::App& command) {
    take_inputs(command);
    place.reset();
    if (summary_ && json) claim_summary();
    if (output != "-" && output_is_directory && output_is_directory()) {
        choose_format(command);
        if (const auto problem = unreadable_input(command)) {
            complain(*problem);
            return failed;
        }
        return {};
    }
    auto found = OutputPlace::find(output == "-" ? "/dev/stdout" : output);
    if (found) {
        const auto* name = output == "-" ? "standard output" : output.c_str();
        const auto* role = output == "-" ? "standard output" : "what --output names";
        if (const auto taken_as = taken.claim(*found, role)) refuse_taken("--output", name, *taken_as);
    }
    if (output != "-") {
        if (!found) {
            complain(about_directory(std::move(found.error())));
            return failed;
        }
        place = std::move(*found);
    }
    choose_format(command);
    if (const auto problem = unreadable_input(command)) {
        complain(*problem);
        return failed;
    }
    return {};
}

// Adds what to do to the error of an output that is a directory, or is named like one.
Error Common::about_directory(Error error) const {
    const auto status = platform::status(output);
    const bool tables = std::ranges::find(formats_, Format::csv_tables) != formats_.end();
    if (status && status->is_directory() && error.detail.ends_with(std::strerror(EISDIR))) {
        error.detail += "; name a file in it";
        if (tables) error.detail += ", or add --format csv: its tables get a directory";
    } else if (output.ends_with('/') && tables) {
        error.detail += "; add --format csv, whose tables get a new directory";
    }
    return error;
}

std::optional<int> Common::prepare_many(const CLI::App& command) {
    constexpr std::pair<const char*, const char*> refused[] = {
        {"FILE", "LIST names the recordings"},
        {"--input", "LIST names the recordings"},
        {"--output", "--out DIR, before --, says where the documents go"},
        {"--format", "the documents are JSON"},
        {"--stdio", "the documents are JSON"},
        {"--jobs", "it is an option of batch, and stands before --: it is about all threads"},
        {"--max-memory", "it is an option of batch, and stands before --: it is about the whole process"},
    };
    for (const auto& [name, why] : refused) {
        const auto* option = command.get_option_no_throw(name);
        if (option != nullptr && option->count() != 0) throw CLI::ValidationError(name, why);
    }
    if (summary_ && json) throw CLI::ValidationError("--json", "the lines of batch are JSON without it");
    taken = {};
    take_options(command);
    place.reset();
    json = !summary_;
    choose_format(command);
    if (const auto problem = unreadable_input(command)) {
        complain(*problem);
        return failed;
    }
    return {};
}

void Common::claim_summary() {
    if (output == "-") {
        throw CLI::ValidationError("--json", "standard output gets the summary; give -o FILE for the profile");
    }
    constexpr auto role = "standard output";
    const auto found = OutputPlace::find("/dev/stdout");
    if (!found) return;
    if (const auto taken_as = taken.claim(*found, role)) refuse_taken("--json", role, *taken_as);
}

std::optional<Error> Common::unreadable_input(const CLI::App& command) {
    for (const auto* option : command.get_options()) {
        if (option->results().empty() || !is_input(*option) || option->check_lname("input")) continue;
        for (const auto& path : option->results()) {
            const auto status = platform::status(path);
            // Do not open it: that would consume the content of a pipe.
            int problem = status ? platform::may(platform::Access::read, path) : status.error();
            if (problem == 0 && status->is_directory() && !option->get_type_name().starts_with("DIR")) problem = EISDIR;
            if (problem == 0) continue;
            return Error{ErrorCode::io, Error::no_offset, option->get_name(),
                         fmt::format("{}: cannot open: {}", path, std::strerror(problem))};
        }
    }
    return {};
}

void Common::take_inputs(const CLI::App& command) {
    const auto* file_option = command.get_option_no_throw("FILE");
    file_by_default = file_option != nullptr && file_option->count() == 0 && command.count("--input") == 0;
    taken = {};
    auto read = recordings ? recordings() : files;
    if (read.empty()) read.push_back(file);
    for (const auto& one : read) taken.add_recording(one);
    take_options(command);
}

void Common::take_options(const CLI::App& command) {
    for (const auto* option : command.get_options()) {
        if (option->results().empty() || !is_input(*option) || option->check_lname("input")) continue;
        for (const auto& path : option->results()) {
            taken.add_input(path, fmt::format("the file that {} names", option->get_name()));
        }
    }
}

void refuse_taken(const std::string& option, const std::string& name, const std::string& role) {
    throw CLI::ValidationError(option, fmt::format("{} is {}, and would be overwritten", name, role));
}

Result<Output> Common::open_output(std::uint32_t permissions) const {
    auto where = place;
    if (where) where->fresh_permissions = permissions;
    if (scope == nullptr) return Output::open(where);
    // Of many documents each is whole or absent: other names of an old file keep it.
    return where ? Output::open(where, OutputFile::HardLinks::part) : Output::into(scope->document);
}

Result<void> Common::commit(Output& written) const {
    auto done = written.commit();
    if (const auto why = written.in_place(); done && !why.empty() && !quiet) {
        complain(*this, fmt::format("note: {} was written in place, and not replaced: {}", output, why));
    }
    return done;
}

namespace {

// Returns true for a directory into which a bundle was unpacked. One with `data` is a recording.
bool is_unpacked_bundle(const std::string& directory) {
    const auto index = platform::status(directory + "/bundle.json");
    return index && index->is_regular() && platform::status(directory + "/perf.data") &&
           platform::status(directory + "/data") == std::unexpected(ENOENT);
}

// perf record -o DIR --threads makes directories with such a file.
bool is_other_directory(const std::string& name) {
    const auto status = platform::status(name);
    return status && status->is_directory() && platform::status(name + "/data") == std::unexpected(ENOENT);
}

bool is_pipe(int descriptor) {
    const auto status = platform::status(descriptor);
    return status && status->kind == platform::FileKind::fifo;
}

// Adds the file name to an error, and a hint if there is no recording. `unnamed`: the user has not named the file.
Result<Recording> about_file(Result<Recording> opened, const std::string& file, std::string_view recorder,
                             bool unnamed) {
    if (opened || opened.error().code == ErrorCode::out_of_memory) return opened;
    auto error = std::move(opened.error());
    const std::string name = file == "-" ? "standard input" : file;
    if (error.code == ErrorCode::not_perf_data) {
        return fail(ErrorCode::not_perf_data, Error::no_offset, {},
                    fmt::format("{} is not a perf.data recording: {}", name, error.detail));
    }
    if (is_unpacked_bundle(file)) {
        return fail(error.code, Error::no_offset, {},
                    fmt::format("{0} is an unpacked bundle: pack it again, as `tar -C {0} -cf - . | perfdata report -` "
                                "does; {0}/perf.data with --buildid-dir {0} lacks names of the kernel, jitdumps, perf "
                                "maps and source files",
                                name));
    }
    if (is_other_directory(file)) {
        return fail(error.code, Error::no_offset, {},
                    fmt::format("{0} is a directory, and no recording: it has no file {0}/data", name));
    }
    if (error.where.empty()) {
        error.where = name;
    } else if (!error.where.starts_with(name) && error.where != file) {
        error.where = name + ": " + error.where;
    }
    constexpr std::string_view usual = "perf.data";
    const bool is_usual = file == usual || file.ends_with("/perf.data");
    if (is_usual && !recorder.empty() && platform::status(file) == std::unexpected(ENOENT)) {
        error.detail += fmt::format("; `{}` makes one, or name a recording: FILE", recorder);
        if (unnamed && is_pipe(platform::standard_input)) error.detail += ", or - for the pipe on standard input";
    }
    if (file == "perf.data.old" && platform::status(file) == std::unexpected(ENOENT)) {
        error.detail += "; perf record gives this name to the perf.data that was there before, or name two recordings";
    }
    return fail(std::move(error));
}

}  // namespace

Result<Recording> Common::open(const Progress& progress) const {
    OpenOptions options;
    options.progress = progress;
    if (scope != nullptr) {
        options.stop = scope->stop;
        if (max_memory != 0) options.limits = limits_within(max_memory);
        return about_file(open_recording(file, options), file, {}, false);
    }
    auto limits = take_limits();
    if (!limits) return fail(std::move(limits.error()));
    options.limits = *limits;
    return about_file(open_recording(file, options), file, recorder, file_by_default);
}

Result<Limits> Common::take_limits() const {
    if (max_memory == 0) return Limits();
    if (auto limited = limit_memory(max_memory); !limited) return fail(std::move(limited.error()));
    return limits_within(max_memory);
}

Result<void> limit_memory([[maybe_unused]] std::uint64_t bytes) {
#ifndef PERFDATA_ADDRESS_SANITIZER  // AddressSanitizer reserves terabytes of addresses
    platform::take_heap_in_steps(0);
    if (const int problem = platform::limit_memory(bytes)) {
        return fail(ErrorCode::io, Error::no_offset, "--max-memory",
                    fmt::format("cannot be set: {}", std::strerror(problem)));
    }
#endif
    return {};
}

std::string no_directory(const std::string& name) {
    std::error_code problem;
    const auto status = std::filesystem::status(name, problem);
    if (std::filesystem::is_directory(status)) return {};
    if (status.type() == std::filesystem::file_type::not_found) return fmt::format("there is no directory {}", name);
    if (problem) return fmt::format("cannot look at {}: {}", name, problem.message());
    return fmt::format("{} is no directory", name);
}

bool wants_color(const Common& common, const Output& output) {
    if (common.color != "auto") return common.color == "always";
    const auto set = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    if (set("NO_COLOR")) return false;
    if (set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0") return true;
    const char* terminal = std::getenv("TERM");
    return output.is_terminal() && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace perfdata::tool
