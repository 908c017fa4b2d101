// SPDX-License-Identifier: MIT
// What has become of an open file since it was opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// FileState is the state of the open file that a source reads, whatever has become of its name.
struct FileState {
    // Change says what happened since it was opened. grown: bytes were added; those that were there may be the same.
    enum class Change : std::uint8_t { none, grown, changed };

    std::string path;                     // by which it was opened
    Change change = Change::none;         // since then
    std::uint64_t device = 0, inode = 0;  // which file it is; 0 if it cannot be looked at any more, like the rest
    std::uint32_t owner = 0;              // number of a user
    std::uint32_t permissions = 0;        // the bits 07777 of its mode
    // For more than that owner, root and this user: see OwnedFile.
    bool writable = true;
    bool proven = false;  // the owner is proven: see OwnedFile

    // Returns true for two states of one file.
    bool is_same_file(const FileState& other) const { return device == other.device && inode == other.inode; }
};

// file_state(source) looks at the descriptor that is read. Nothing for memory, copies and what was unpacked: nobody
// else can change them. A file that cannot be looked at any more counts as changed.
PERFDATA_EXPORT std::optional<FileState> file_state(const Source& source);

// equal_bytes(one, other, watch) compares what two sources have. Errors: io, cancelled.
PERFDATA_EXPORT Result<bool> equal_bytes(const Source& one, const Source& other, const Watch& watch);

}  // namespace perfdata
