// SPDX-License-Identifier: MIT
// What the name of an output stands for, before anything is opened or changed.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// FileIdentity tells files apart whatever names they have: by device and inode. A file that is not there yet is told by
// those of its directory and its name in it.
struct FileIdentity {
    ::dev_t device = 0;
    ::ino_t inode = 0;
    std::string name;  // empty: of a file that is there

    explicit FileIdentity(const struct stat& file, std::string name_there = {})
        : device(file.st_dev), inode(file.st_ino), name(std::move(name_there)) {}
    auto operator<=>(const FileIdentity&) const = default;
};

struct OutputPlace {
    enum class Kind {
        fresh,       // nothing is there yet
        regular,     // a file that a new one takes the place of
        descriptor,  // one of this process: /dev/stdout, /dev/fd/3
        special,     // a device, FIFO or socket, or a file that only an open descriptor leads to
    };

    // find(name) follows links, those to nothing as well, and checks that it may be written there. Errors: io.
    static Result<OutputPlace> find(const std::string& name);

    // is_file(): a regular file will be written, or has been made just to be written.
    bool is_file() const;
    bool is_terminal() const;

    Kind kind = Kind::fresh;
    std::string name;         // as the user has it
    std::string path;         // where all links have led to
    int descriptor = -1;      // of Kind::descriptor
    struct stat status = {};  // of what is there; if nothing is, of the directory
    FileIdentity identity{status};
};

// cannot_write(name, problem) is the error of an errno.
std::unexpected<Error> cannot_write(const std::string& name, int problem);

// TakenFiles are the files that a command line uses already: what it reads, and what it writes. No two outputs are one
// file, and none is an input.
class TakenFiles {
  public:
    // add_recording(path): a file, a directory with all that is read of it, or - for standard input.
    void add_recording(const std::string& path);
    // add_input(path, role): another file that is read; `role` says what it is to the user. Of directories nothing is
    // taken.
    void add_input(const std::string& path, std::string role);
    // claim(place, role) takes it for an output, or says what it is already.
    std::optional<std::string> claim(const OutputPlace& place, std::string role);

  private:
    struct Taken {
        FileIdentity identity;
        std::string role;
    };
    void add_files(const std::string& directory);
    // in_recording(place) by its name: a file that would be read with the next recording of the directory, too.
    bool in_recording(const OutputPlace& place) const;

    std::vector<Taken> taken_;
    std::vector<FileIdentity> recordings_;  // directories
};

}  // namespace perfdata::tool
