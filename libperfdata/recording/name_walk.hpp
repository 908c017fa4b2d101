// SPDX-License-Identifier: MIT
// Resolves a name to a file without opening what is on the way, and without leaving the name's root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/platform.hpp"

namespace perfdata {

// Walked is the end of a walk. fd is O_PATH, below 0 if the walk failed; then `problem` is errno.
struct Walked {
    platform::Descriptor fd{};
    int problem = 0;
    // For walk_by_kernel(): this kernel, or the process's sandbox, does not support it; or walk_by_steps() knows more.
    bool unable = false;
    // For walk_by_steps(): the directory that holds the file, O_PATH, and its name there, which is not a link; and the
    // kernel's own file system that the name led into, where nothing is looked up.
    platform::Descriptor folder{};
    std::string last{};
    std::optional<std::string_view> pseudo{};
    // For walk_by_steps(): the name went through a link of another user than root or this one; or through one whose
    // owner proves nothing (see owners_are_proven()).
    bool foreign_link = false, unproven_link = false;
    // For walk_by_steps(): everybody may pass the directories from the root to here. A relative path begins where
    // nobody knows that. Below the root of a process `passable` is false, whatever its directories say: passing
    // /proc/PID/root takes the right to trace the process. `passable_inside` counts only the directories below that
    // root.
    bool passable = false, passable_inside = false;
    // For walk_by_steps(): how somebody else may have made the name lead here, in words; empty: nobody may have. A link
    // or a directory on the way belongs to another user, or nothing proves that it does not, or others may write to a
    // directory; or the way is through the root of a process, or begins where nobody knows that.
    std::string_view foreign_way{};
    // For walk_by_steps(): everybody may put files where this one is, but not replace it (a sticky directory).
    bool shared = false;
};

// walk_by_kernel(root, path) asks openat2() to stay below a root; without one, in one file system: so it looks nothing
// up where walk_by_steps() does not. It takes one call, and a walk by steps nine for each part of the name.
Walked walk_by_kernel(const std::string& root, const std::string& path);

// walk_by_steps(root, path) follows each part of the name itself. Without a root, it starts at the machine's; then it
// may pass through /proc/PID/root, which becomes the root of the rest. It follows at most 40 links, like the kernel.
// `friendly` is a user who counts as nobody else in foreign_way.
Walked walk_by_steps(const std::string& root, const std::string& path, std::optional<std::uint32_t> friendly = {});

}  // namespace perfdata
