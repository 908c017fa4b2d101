// SPDX-License-Identifier: MIT
// What the owner and the group of a file prove.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/platform.hpp"

namespace perfdata {

// Mount is what /proc/self/mountinfo says of the file system that an open file is in.
struct Mount {
    platform::DeviceNumbers device;       // as in records: on btrfs, stat(2) says another one for each subvolume
    std::optional<std::uint32_t> user{};  // of FUSE: who mounted it
    bool for_all = true;                  // false: FUSE that only this user may look into, whatever modes say
};
// mount_of(fd) returns nothing if the system does not say. fd may be a place.
std::optional<Mount> mount_of(int fd);

// owners_are_proven(fd) returns false for a file system where somebody without privileges may have written who owns
// what: a stick or an image that they brought, which systems mount without the privileges of programs (nosuid), or
// FUSE. Who reads all files does not believe owners on a network either; others believe their network, what they or
// root mounted with FUSE, and the file system of their home. Also false if the system does not say.
bool owners_are_proven(int fd);

// others_may_write(status, fd) returns true if more than the owner, root and this user may write. A group that has the
// number of the owner, of root or of this user is theirs alone, if there is no access list.
bool others_may_write(const platform::FileStatus& status, int fd);

// everybody_reads(status, fd) returns true if the modes of a file let its group and others read it, and no access list
// shuts anybody out. everybody_passes(status, fd) is the same for passing a directory.
bool everybody_reads(const platform::FileStatus& status, int fd);
bool everybody_passes(const platform::FileStatus& status, int fd);

// everybody_looks_into(fd) returns false for FUSE that only the user who mounted it may look into.
bool everybody_looks_into(int fd);

}  // namespace perfdata
