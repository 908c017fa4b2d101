// SPDX-License-Identifier: MIT
// A temporary file.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/platform.hpp"

namespace perfdata::tool {

// TemporaryFile is a file with a name of its own, removed with the object unless it was moved to its place. If main()
// has called remove_temporaries_on_signals(), a signal that ends the process also removes it.
class TemporaryFile {
  public:
    // create(directory, permissions) opens the file for reading and writing; the umask is subtracted from the
    // permissions. The error is an errno.
    static std::expected<TemporaryFile, int> create(const std::string& directory, std::uint32_t permissions);
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile();

    int descriptor() const { return descriptor_.get(); }
    // rest() closes it, wake() reopens it to write at its end. Both return 0 or an errno.
    int rest();
    int wake();
    // move_to(path) closes it and renames it, replacing any file of that name. Returns 0 or an errno; then the file
    // still belongs to the object.
    int move_to(const std::string& path);

  private:
    struct Listed;
    friend void remove_temporaries_on_signals();

    TemporaryFile() = default;

    platform::Descriptor descriptor_;
    Listed* listed_ = nullptr;  // null: moved away
};

// remove_temporaries_on_signals() handles the signals that users and systems use to end processes, unless they are
// ignored, from the first file on: it removes the files, and the signal takes its normal effect. Call it before any
// file is there.
void remove_temporaries_on_signals();

}  // namespace perfdata::tool
