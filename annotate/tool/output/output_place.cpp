// SPDX-License-Identifier: MIT
#include "output_place.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "output_way.hpp"

namespace perfdata::tool {
namespace {

namespace fs = std::filesystem;

using platform::FileStatus;

struct Split {
    std::string directory, base;
};

// Splits a path at its last part; the directory of a bare name is ".".
Split split(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return {".", path};
    const auto last = path.find_last_not_of('/', slash);
    return {last == std::string::npos ? "/" : path.substr(0, last + 1), path.substr(slash + 1)};
}

// Returns the path without links; empty if there is no such file.
std::string real_path(const std::string& path) {
    std::error_code problem;
    return fs::canonical(path, problem).string();
}

std::optional<int> number_of(std::string_view text) {
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size() || number < 0) return {};
    return number;
}

bool is_standard(const std::string& path) {
    return path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr";
}

// Returns the descriptor of this process that a path denotes. Opening the path would not do: a file would be truncated
// and written from its beginning, a socket could not be opened at all.
std::optional<int> descriptor_of(const std::string& path) {
    if (path == "/dev/stdin") return platform::standard_input;
    if (path == "/dev/stdout") return platform::standard_output;
    if (path == "/dev/stderr") return platform::standard_error;
    const auto [directory, base] = split(path);
    const auto number = number_of(base);
    if (!number) return {};
    if (directory == "/dev/fd") return number;
    const auto real = real_path(directory);
    if (real.empty() || (real != real_path("/proc/self/fd") && real != real_path("/proc/thread-self/fd"))) return {};
    return number;
}

// Returns the target of a link at `path`; empty if it is not a link.
std::optional<std::string> linked(const std::string& path, const FileStatus& status) {
    if (status.kind != platform::FileKind::link) return {};
    std::error_code problem;
    auto target = fs::read_symlink(path, problem).string();
    if (problem || target.empty()) return {};
    return target.starts_with('/') ? target : split(path).directory + "/" + target;
}

// True for an ordinary member of a recording's directory: perf's own files, and what perfdata looks for beside them.
bool is_member(std::string_view name) {
    return name == "data" || name.starts_with("data.") || name == "header" ||
           (name.starts_with("jit-") && name.ends_with(".dump")) ||
           (name.starts_with("perf-") && name.ends_with(".map"));
}

}  // namespace

std::unexpected<Error> cannot_write(const std::string& name, int problem) {
    return fail(ErrorCode::io, Error::no_offset, name, fmt::format("cannot write: {}", std::strerror(problem)));
}

Result<OutputPlace> OutputPlace::find(const std::string& name) {
    OutputPlace place;
    place.name = place.path = name;
    // Nothing is followed on the way to what is open already.
    if (!is_standard(name)) {
        if (auto passed = check_output_way(name); !passed) return fail(std::move(passed.error()));
    }
    constexpr int most_links = 40;  // same as Linux
    for (int links = 0;; ++links) {
        if (place.path.empty()) return cannot_write(name, ENOENT);
        if (const auto descriptor = descriptor_of(place.path)) {
            place.kind = Kind::descriptor;
            place.descriptor = *descriptor;
            const auto writable = platform::can_write(*descriptor);
            if (!writable) return cannot_write(name, writable.error());
            const auto status = platform::status(*descriptor);
            if (!status) return cannot_write(name, status.error());
            if (!*writable) return cannot_write(name, EBADF);
            if (status->is_directory()) return cannot_write(name, EISDIR);
            place.status = *status;
            place.identity = FileIdentity(*status);
            return place;
        }
        const auto status = platform::link_status(place.path);
        if (!status) {
            if (status.error() != ENOENT) return cannot_write(name, status.error());
            return find_fresh(std::move(place));
        }
        auto target = linked(place.path, *status);
        if (!target) break;
        if (links == most_links) return cannot_write(name, ELOOP);
        // Links below /proc/PID lead to open files of a process: their text may name nothing, or another file.
        const auto through = platform::status(place.path);
        const bool there = through.has_value();
        if (there) {
            const auto named = platform::status(*target);
            if (!named || !through->is_same_file(*named)) break;
        }
        if (there && real_path(split(place.path).directory).starts_with("/proc/")) break;
        place.path = std::move(*target);
    }
    const auto status = platform::status(place.path);
    if (!status) return cannot_write(name, status.error());
    place.status = *status;
    place.identity = FileIdentity(*status);
    if (status->is_directory()) return cannot_write(name, EISDIR);
    const auto itself = platform::link_status(place.path);
    const bool reached = itself && itself->is_same_file(*status);
    place.kind = status->is_regular() && reached ? Kind::regular : Kind::special;
    if (const int problem = platform::may(platform::Access::write, place.path)) return cannot_write(name, problem);
    return place;
}

// find_fresh(place) checks the directory of a file that does not exist yet.
Result<OutputPlace> OutputPlace::find_fresh(OutputPlace place) {
    const auto [directory, base] = split(place.path);
    const auto status = platform::status(directory);
    if (!status) return cannot_write(place.name, status.error());
    if (!status->is_directory()) return cannot_write(place.name, ENOTDIR);
    if (base.empty()) return cannot_write(place.name, EISDIR);
    // Better reported before hours of work than after.
    if (const int problem = platform::may(platform::Access::create, directory)) {
        return cannot_write(place.name, problem);
    }
    place.status = *status;
    place.identity = FileIdentity(*status, base);
    return place;
}

bool OutputPlace::is_file() const {
    return kind == Kind::fresh || kind == Kind::regular;
}

bool OutputPlace::is_terminal() const {
    return kind == Kind::descriptor && platform::is_terminal(descriptor);
}

void TakenFiles::add_recording(const std::string& path) {
    const auto status = path == "-" ? platform::status(platform::standard_input) : platform::status(path);
    if (!status) return;
    if (!status->is_directory()) {
        taken_.push_back({FileIdentity(*status), "the recording"});
        return;
    }
    recordings_.emplace_back(*status);
    add_files(path);
    add_files(path + "/kcore_dir");
}

// The members may be links to files elsewhere.
void TakenFiles::add_files(const std::string& directory) {
    std::error_code problem;
    for (auto entry = fs::directory_iterator(directory, problem); !problem && entry != fs::directory_iterator();
         entry.increment(problem)) {
        const bool kernel = directory.ends_with("/kcore_dir");
        if (!kernel && !is_member(entry->path().filename().string())) continue;
        const auto status = platform::status(entry->path().string());
        if (!status || status->is_directory()) continue;
        taken_.push_back({FileIdentity(*status), "a file of the recording"});
    }
}

void TakenFiles::add_input(const std::string& path, std::string role) {
    const auto status = platform::status(path);
    if (!status || status->is_directory()) return;
    taken_.push_back({FileIdentity(*status), std::move(role)});
}

bool TakenFiles::in_recording(const OutputPlace& place) const {
    if (recordings_.empty() || !place.is_file()) return false;
    const auto parts = split(place.path);
    auto directory = real_path(parts.directory);
    for (bool direct = true; !directory.empty(); direct = false) {
        const auto status = platform::status(directory);
        if (!status) return false;
        if (std::ranges::find(recordings_, FileIdentity(*status)) != recordings_.end()) {
            return !direct || is_member(parts.base);
        }
        if (directory == "/") return false;
        directory = split(directory).directory;
    }
    return false;
}

std::optional<std::string> TakenFiles::claim(const OutputPlace& place, std::string role) {
    // Two outputs may both be one terminal or /dev/null.
    const auto kind = place.status.kind;
    if (kind == platform::FileKind::character_device || kind == platform::FileKind::socket) return {};
    const auto taken = std::ranges::find(taken_, place.identity, &Taken::identity);
    if (taken != taken_.end()) return taken->role;
    if (in_recording(place)) return "a file of the recording";
    taken_.push_back({place.identity, std::move(role)});
    return {};
}

}  // namespace perfdata::tool
