// SPDX-License-Identifier: MIT
// File systems whose files are not files: reading one queries the kernel, may block forever, and may change what the
// next reader sees.
#pragma once

#include <optional>
#include <string_view>

namespace perfdata {

// pseudo_file_system(fd) returns the name of the file system if it is one of these, such as "proc". fd may be O_PATH.
std::optional<std::string_view> pseudo_file_system(int fd);

}  // namespace perfdata
