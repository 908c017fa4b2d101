// SPDX-License-Identifier: MIT
// What the name of an output denotes, before anything is opened or changed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"

#include "core/platform.hpp"

namespace perfdata::tool {

// FileIdentity identifies files whatever names they have: by device and inode. A file that does not exist yet is
// identified by its directory and its name in it.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    std::string name;  // empty: the file exists

    explicit FileIdentity(const platform::FileStatus& file, std::string name_there = {})
        : device(file.device), inode(file.inode), name(std::move(name_there)) {}
    auto operator<=>(const FileIdentity&) const = default;
};

struct OutputPlace {
    enum class Kind {
        fresh,       // nothing exists there yet
        regular,     // a file to be replaced by a new one
        descriptor,  // a descriptor of this process: /dev/stdout, /dev/fd/3
        special,     // a device, FIFO or socket, or a file reachable only through an open descriptor
    };

    // find(name) follows links, including dangling ones, and checks that the place is writable. Errors: io.
    static Result<OutputPlace> find(const std::string& name);

    // is_file() returns true if a regular file will be written, or has been created just for writing.
    bool is_file() const;
    bool is_terminal() const;

    Kind kind = Kind::fresh;
    std::string name;                        // as given by the user
    std::string path;                        // after following all links
    int descriptor = -1;                     // of Kind::descriptor
    std::uint32_t fresh_permissions = 0666;  // of a file that does not exist yet, before the umask
    platform::FileStatus status;             // of the existing file, or else of its directory
    FileIdentity identity{status};

  private:
    static Result<OutputPlace> find_fresh(OutputPlace place);
};

// cannot_write(name, problem) returns the error for an errno.
std::unexpected<Error> cannot_write(const std::string& name, int problem);

// TakenFiles are the files that a command line already uses, as input or output. No two outputs are the same file, and
// none is an input.
class TakenFiles {
  public:
    // add_recording(path): a file, a directory with everything read from it, or - for standard input.
    void add_recording(const std::string& path);
    // add_input(path, role) adds another file that is read; `role` is its description for the user. Directories are
    // ignored.
    void add_input(const std::string& path, std::string role);
    // claim(place, role) claims a place for an output; if it is taken, returns what it is already.
    std::optional<std::string> claim(const OutputPlace& place, std::string role);

  private:
    struct Taken {
        FileIdentity identity;
        std::string role;
    };
    void add_files(const std::string& directory);
    // in_recording(place) checks the name: a file that would later be read as part of the recording's directory.
    bool in_recording(const OutputPlace& place) const;

    std::vector<Taken> taken_;
    std::vector<FileIdentity> recordings_;  // directories
};

}  // namespace perfdata::tool
