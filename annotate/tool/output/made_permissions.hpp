// SPDX-License-Identifier: MIT
// The permissions of new files that are made of recordings: what not everybody may read does not become readable.
#pragma once

#include <cstdint>

#include "perfdata/recording/source.hpp"

#include "core/platform.hpp"

namespace perfdata::tool {

inline constexpr std::uint32_t owner_permissions = 0600;  // nobody else may read
inline constexpr std::uint32_t all_permissions = 0644;    // everybody may, before the umask

// made_permissions(everybodys) returns what a file may have that is made of inputs. `everybodys`: everybody may read
// and reach all of them, see everybody_may_read(). Else it is its owner's alone: a group or a directory that shuts
// others out there need not do so here.
inline std::uint32_t made_permissions(bool everybodys) {
    return everybodys ? all_permissions : owner_permissions;
}

// is_own_vdso(source) returns true for the vdso of this process, which the kernel gives to everybody.
bool is_own_vdso(const Source& source);

}  // namespace perfdata::tool
