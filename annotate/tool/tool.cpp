// SPDX-License-Identifier: MIT
#include "tool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "perfdata/core/memory_limits.hpp"

#include "../words.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define PERFDATA_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERFDATA_ADDRESS_SANITIZER
#endif
#endif

namespace perfdata::tool {

void Common::add_to(CLI::App& command) {
    auto* file_option = command.add_option("FILE", file, "The recording (default perf.data; - is standard input)");
    command.add_option("-i,--input", file, "The same as FILE, as perf spells it")->excludes(file_option);
    command.add_option("-o,--output", output, "Write to this file instead of standard output");
    command.add_flag("--json", json, "Write JSON");
    command.add_flag("--strict", strict, "List all losses on standard error, and exit with 3 if there are any");
    command.add_flag("-q,--quiet", quiet, "No warnings");
    command
        .add_option("--max-memory", max_memory,
                    "Take no more memory than this, such as 512M: large parts of the recording are left out and told, "
                    "or it fails")
        ->transform(CLI::AsSizeValue(false))
        ->type_name("SIZE");
    command.add_option("--color,--stdio-color", color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
}

Result<Recording> Common::open() const {
    if (max_memory == 0) return Recording::open(file);
    // What the program itself takes, and each thread for its stack, is part of it.
    constexpr std::uint64_t least = std::uint64_t{16} << 20;
    if (max_memory < least) {
        return fail(ErrorCode::limit, Error::no_offset, "--max-memory", "at least 16M are needed");
    }
#ifndef PERFDATA_ADDRESS_SANITIZER  // which takes terabytes of addresses for itself
    const ::rlimit wanted{max_memory, max_memory};
    if (::setrlimit(RLIMIT_DATA, &wanted) != 0) {
        return fail(ErrorCode::io, Error::no_offset, "--max-memory",
                    fmt::format("cannot be set: {}", std::strerror(errno)));
    }
#endif
    return Recording::open(file, {.limits = limits_within(max_memory)});
}

Result<Output> Output::open(const std::string& path) {
    Output output;
    if (path == "-") {
        output.file_ = stdout;
        return output;
    }
    output.path_ = path;
    output.temporary_ = path + ".XXXXXX";
    const int fd = ::mkstemp(output.temporary_.data());
    if (fd < 0) {
        return fail(ErrorCode::io, Error::no_offset, path, fmt::format("cannot write: {}", std::strerror(errno)));
    }
    ::fchmod(fd, 0644);
    output.file_ = ::fdopen(fd, "wb");
    return output;
}

namespace {

// The pager to run, empty if there is none.
std::string pager() {
    const char* terminal = std::getenv("TERM");
    const bool people = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDIN_FILENO) != 0;
    if (!people || terminal == nullptr || std::string_view(terminal) == "dumb") return {};
    if (const char* chosen = std::getenv("PAGER"); chosen != nullptr) return chosen;
    const char* folders = std::getenv("PATH");
    std::string_view rest = folders == nullptr ? "" : folders;
    while (!rest.empty()) {
        const auto folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        if (::access((std::string(folder) + "/less").c_str(), X_OK) == 0) return "less";
    }
    return {};
}

}  // namespace

Result<Output> Output::open_paged(const std::string& path) {
    const auto command = path == "-" ? pager() : std::string();
    if (command.empty() || command == "cat") return open(path);
    ::setenv("LESS", "FRX", 0);  // as git does: end if all fits on one screen, keep colours
    Output output;
    output.file_ = ::popen(command.c_str(), "w");
    if (output.file_ == nullptr) return open(path);
    output.paged_ = true;
    return output;
}

Output::Output(Output&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      paged_(std::exchange(other.paged_, false)),
      failed_(other.failed_),
      problem_(other.problem_) {}

Output::~Output() {
    if (file_ != nullptr && paged_) ::pclose(file_);
    if (file_ != nullptr && !paged_ && file_ != stdout) std::fclose(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Sink Output::sink() {
    return [this](std::string_view text) {
        if (failed_ || text.empty()) return;
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
            failed_ = true;
            problem_ = errno;
        }
    };
}

Result<void> Output::commit() {
    if (!failed_ && std::fflush(file_) != 0) {
        failed_ = true;
        problem_ = errno;
    }
    if (failed_) {
        if (problem_ == EPIPE) return {};
        return fail(ErrorCode::io, Error::no_offset, path_.empty() ? "standard output" : path_,
                    fmt::format("cannot write: {}", std::strerror(problem_)));
    }
    if (paged_) ::pclose(std::exchange(file_, nullptr));  // until people have read it
    if (!temporary_.empty()) {
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            return fail(ErrorCode::io, Error::no_offset, path_, fmt::format("cannot write: {}", std::strerror(errno)));
        }
        temporary_.clear();
    }
    return {};
}

bool Output::is_terminal() const {
    return paged_ || ::isatty(::fileno(file_)) != 0;
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

void complain(std::string_view message) {
    fmt::print(stderr, "perfdata: {}\n", printable(message));
}
void complain(const Error& error) {
    if (error.code == ErrorCode::out_of_memory) return complain_of_memory();
    complain(error.message());
}
void complain_of_memory() {
    complain(
        "out of memory: this takes more than there is, or than --max-memory allows; choose less of the recording, "
        "with --time or --event where there are such");
}

void warn_losses(const Common& common, const Completeness& completeness) {
    if (common.quiet) return;
    constexpr std::size_t few = 10;
    const auto& kept = completeness.diagnostics.kept();
    const auto shown = common.strict ? kept.size() : few;
    for (std::size_t index = 0; index < kept.size() && index < shown; ++index) {
        complain("warning: " + kept[index].message());
    }
    const auto count = completeness.diagnostics.count();
    if (count > shown) complain(fmt::format("warning: and {} more; see the completeness in --json", count - shown));
    if (completeness.lost_events != 0) {
        complain(fmt::format("warning: the recorder lost {} records (its buffers were full; perf record -m helps)",
                             completeness.lost_events));
    }
}

int exit_code(const Common& common, const Completeness& completeness) {
    return common.strict && !completeness.lossless() ? losses : fine;
}

}  // namespace perfdata::tool
