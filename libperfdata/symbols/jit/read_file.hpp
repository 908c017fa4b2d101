// SPDX-License-Identifier: MIT
// Which files of just-in-time compilers are one and the same.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "perfdata/symbols/elf/find/file_system.hpp"

namespace perfdata {

// ReadFile is a file by what it is, so that no other name for it makes it another; by its path if that is not known.
using ReadFile = std::pair<std::optional<FileIdentity>, std::string>;

// read_file(files, name, path): no name for what the user gave, which may be a pipe.
inline ReadFile read_file(const FileSystem& files, const std::optional<FileName>& name, const std::string& path) {
    if (name) {
        if (const auto identity = files.identity(*name)) return {identity, {}};
    }
    return {{}, path};
}

}  // namespace perfdata
