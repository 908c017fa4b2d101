// SPDX-License-Identifier: MIT
// File systems whose files are no files: reading one asks the kernel for something, may wait for ever, and may change
// what the next reader sees.
#pragma once

#include <optional>
#include <string_view>

namespace perfdata {

// pseudo_file_system(fd) is the name of the file system if it is one of these, such as "proc". fd may be O_PATH.
std::optional<std::string_view> pseudo_file_system(int fd);

}  // namespace perfdata
