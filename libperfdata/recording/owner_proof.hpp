// SPDX-License-Identifier: MIT
// What the owner and the group of a file prove.
#pragma once

#include <cstdint>

#include "core/platform.hpp"

namespace perfdata {

// owners_are_proven(fd) returns false for a file system where somebody without privileges may have written who owns
// what: a stick, an image or a share that they brought. Systems mount these without the privileges of their programs
// (nosuid), as FUSE, or over the network. Where a program of root would get root's rights, its owner is proven. Also
// false if the system does not say.
bool owners_are_proven(int fd);

// others_may_write(status) returns true if more than the owner, root and this user may write, by the mode. A group that
// has the number of the owner, of root or of this user is theirs alone.
bool others_may_write(const platform::FileStatus& status);

}  // namespace perfdata
