// SPDX-License-Identifier: MIT
#include "output_place.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace perfdata::tool {
namespace {

namespace fs = std::filesystem;

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

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    return real ? std::string(real.get()) : std::string();
}

std::optional<int> number_of(std::string_view text) {
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size() || number < 0) return {};
    return number;
}

// Returns the descriptor of this process that a path denotes. Opening the path would not do: a file would be truncated
// and written from its beginning, a socket could not be opened at all.
std::optional<int> descriptor_of(const std::string& path) {
    if (path == "/dev/stdin") return STDIN_FILENO;
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    const auto [directory, base] = split(path);
    const auto number = number_of(base);
    if (!number) return {};
    if (directory == "/dev/fd") return number;
    const auto real = real_path(directory);
    if (real.empty() || (real != real_path("/proc/self/fd") && real != real_path("/proc/thread-self/fd"))) return {};
    return number;
}

// Returns the target of a link at `path`; empty if it is not a link.
std::optional<std::string> linked(const std::string& path, const struct stat& status) {
    if (!S_ISLNK(status.st_mode)) return {};
    std::error_code problem;
    auto target = fs::read_symlink(path, problem).string();
    if (problem || target.empty()) return {};
    return target.starts_with('/') ? target : split(path).directory + "/" + target;
}

bool same_file(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
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
    constexpr int most_links = 40;  // same as Linux
    for (int links = 0;; ++links) {
        if (place.path.empty()) return cannot_write(name, ENOENT);
        if (const auto descriptor = descriptor_of(place.path)) {
            place.kind = Kind::descriptor;
            place.descriptor = *descriptor;
            const int mode = ::fcntl(*descriptor, F_GETFL);
            if (mode < 0 || ::fstat(*descriptor, &place.status) != 0) return cannot_write(name, errno);
            if ((mode & O_ACCMODE) == O_RDONLY) return cannot_write(name, EBADF);
            if (S_ISDIR(place.status.st_mode)) return cannot_write(name, EISDIR);
            place.identity = FileIdentity(place.status);
            return place;
        }
        struct stat status = {};
        if (::lstat(place.path.c_str(), &status) != 0) {
            if (errno != ENOENT) return cannot_write(name, errno);
            const auto [directory, base] = split(place.path);
            if (::stat(directory.c_str(), &place.status) != 0) return cannot_write(name, errno);
            if (!S_ISDIR(place.status.st_mode)) return cannot_write(name, ENOTDIR);
            if (base.empty()) return cannot_write(name, EISDIR);
            // Better reported before hours of work than after.
            if (::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
                return cannot_write(name, errno);
            place.identity = FileIdentity(place.status, base);
            return place;
        }
        auto target = linked(place.path, status);
        if (!target) break;
        if (links == most_links) return cannot_write(name, ELOOP);
        // Links below /proc/PID lead to open files of a process: their text may name nothing, or another file.
        struct stat through = {}, named = {};
        const bool there = ::stat(place.path.c_str(), &through) == 0;
        if (there && (::stat(target->c_str(), &named) != 0 || !same_file(through, named))) break;
        if (there && real_path(split(place.path).directory).starts_with("/proc/")) break;
        place.path = std::move(*target);
    }
    if (::stat(place.path.c_str(), &place.status) != 0) return cannot_write(name, errno);
    place.identity = FileIdentity(place.status);
    if (S_ISDIR(place.status.st_mode)) return cannot_write(name, EISDIR);
    struct stat itself = {};
    const bool reached = ::lstat(place.path.c_str(), &itself) == 0 && same_file(itself, place.status);
    place.kind = S_ISREG(place.status.st_mode) && reached ? Kind::regular : Kind::special;
    if (::faccessat(AT_FDCWD, place.path.c_str(), W_OK, AT_EACCESS) != 0) return cannot_write(name, errno);
    return place;
}

bool OutputPlace::is_file() const {
    return kind == Kind::fresh || kind == Kind::regular;
}

bool OutputPlace::is_terminal() const {
    return kind == Kind::descriptor && ::isatty(descriptor) != 0;
}

void TakenFiles::add_recording(const std::string& path) {
    struct stat status = {};
    if ((path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) return;
    if (!S_ISDIR(status.st_mode)) {
        taken_.push_back({FileIdentity(status), "the recording"});
        return;
    }
    recordings_.emplace_back(status);
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
        struct stat status = {};
        if (::stat(entry->path().c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
        taken_.push_back({FileIdentity(status), "a file of the recording"});
    }
}

void TakenFiles::add_input(const std::string& path, std::string role) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return;
    taken_.push_back({FileIdentity(status), std::move(role)});
}

bool TakenFiles::in_recording(const OutputPlace& place) const {
    if (recordings_.empty() || !place.is_file()) return false;
    const auto parts = split(place.path);
    auto directory = real_path(parts.directory);
    for (bool direct = true; !directory.empty(); direct = false) {
        struct stat status = {};
        if (::stat(directory.c_str(), &status) != 0) return false;
        if (std::ranges::find(recordings_, FileIdentity(status)) != recordings_.end()) {
            return !direct || is_member(parts.base);
        }
        if (directory == "/") return false;
        directory = split(directory).directory;
    }
    return false;
}

std::optional<std::string> TakenFiles::claim(const OutputPlace& place, std::string role) {
    // Two outputs may both be one terminal or /dev/null.
    if (S_ISCHR(place.status.st_mode) || S_ISSOCK(place.status.st_mode)) return {};
    const auto taken = std::ranges::find(taken_, place.identity, &Taken::identity);
    if (taken != taken_.end()) return taken->role;
    if (in_recording(place)) return "a file of the recording";
    taken_.push_back({place.identity, std::move(role)});
    return {};
}

}  // namespace perfdata::tool
