// SPDX-License-Identifier: MIT
// The identity of files of just-in-time compilers.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "perfdata/symbols/elf/find/file_system.hpp"

namespace perfdata {

// ReadFile identifies a file whatever name leads to it; by its path if the identity is unknown.
using ReadFile = std::pair<std::optional<FileIdentity>, std::string>;

// Returns the identity of a file. No `name`: the user gave the file, which may be a pipe.
inline ReadFile read_file(const FileSystem& files, const std::optional<FileName>& name, const std::string& path) {
    if (name) {
        if (const auto identity = files.identity(*name)) return {identity, {}};
    }
    return {{}, path};
}

}  // namespace perfdata
