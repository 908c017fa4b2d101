// SPDX-License-Identifier: MIT
// A file that is there for a while only.
#pragma once

#include <expected>
#include <string>
#include <sys/types.h>

namespace perfdata::tool {

// TemporaryFile is a file under a name of its own, which goes with the object unless it was moved to its place. If
// main() has called remove_temporaries_on_signals() it goes as well when a signal ends the process.
class TemporaryFile {
  public:
    // create(directory, mode): the file is open for reading and writing; of the mode the umask is taken off. The error
    // is an errno.
    static std::expected<TemporaryFile, int> create(const std::string& directory, ::mode_t mode);
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile();

    int descriptor() const { return descriptor_; }
    // rest() closes it, wake() opens it again to write at its end. Both give 0 or an errno.
    int rest();
    int wake();
    // move_to(path) closes it and gives it that name; what had the name is gone. Gives 0 or an errno; the file is still
    // the object's then.
    int move_to(const std::string& path);

  private:
    struct Listed;
    friend void remove_temporaries_on_signals();

    TemporaryFile() = default;

    int descriptor_ = -1;
    Listed* listed_ = nullptr;  // null: moved away
};

// remove_temporaries_on_signals() handles the signals that users and systems end processes with, unless they are
// ignored: the files are removed, and the signal does what it does anyway.
void remove_temporaries_on_signals();

}  // namespace perfdata::tool
