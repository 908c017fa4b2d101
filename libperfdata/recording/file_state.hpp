// SPDX-License-Identifier: MIT
// What has become of an open file since it was opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perfdata/recording/source.hpp"

#include "core/platform.hpp"

namespace perfdata {

// FileState is the state of the open file that a source reads, whatever has become of its name.
struct FileState {
    // Change says what happened since it was opened. grown: bytes were added; those that were there may be the same.
    enum class Change : std::uint8_t { none, grown, changed };

    std::string path;  // by which it was opened
    platform::FileStatus now{};
    Change change = Change::none;
};

// file_state(source) looks at the descriptor that is read. Nothing for memory, copies and what was unpacked: nobody
// else can change them. A file that cannot be looked at any more counts as changed.
std::optional<FileState> file_state(const Source& source);

// equal_bytes(one, other, watch) compares what two sources have. Errors: io, cancelled.
Result<bool> equal_bytes(const Source& one, const Source& other, const Watch& watch);

}  // namespace perfdata
