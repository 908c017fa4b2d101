// SPDX-License-Identifier: MIT
// From a name to a file without opening what is on the way, and without leaving the name's root.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfdata/recording/spool.hpp"

namespace perfdata {

// Walked is where a walk ended. fd is O_PATH, below 0 if it failed; `problem` is errno then.
struct Walked {
    Descriptor fd{-1};
    int problem = 0;
    // Of walk_by_kernel(): this kernel, or what confines the process, does not let it walk.
    bool unable = false;
    // Of walk_by_steps(): the directory that holds the file, O_PATH, and its name there, which is no link; and the file
    // system of the kernel that the name led into, where nothing is looked up.
    Descriptor folder{-1};
    std::string last{};
    std::optional<std::string_view> pseudo{};
};

// walk_by_kernel(root, path) asks openat2() to stay below a root.
Walked walk_by_kernel(const std::string& root, const std::string& path);

// walk_by_steps(root, path) follows each part of the name by itself. Without a root it is the whole machine's; then
// /proc/PID/root is passed, and is the root of what follows. At most 40 links are followed, as the kernel does.
Walked walk_by_steps(const std::string& root, const std::string& path);

}  // namespace perfdata
