// SPDX-License-Identifier: MIT
// The permissions of new files that are made of recordings: what not everybody may read does not become readable.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/recording/source.hpp"

#include "core/platform.hpp"

namespace perfdata::tool {

inline constexpr std::uint32_t owner_permissions = 0600;  // nobody else may read
inline constexpr std::uint32_t all_permissions = 0666;    // a new file has no more, before the umask

// input_permissions(content, name) returns what a file that is made of an input may have: the permissions of that
// input, but reading and writing for the owner in any case. Of a pipe it is only that. `content`: as it was opened;
// null: it was unpacked. `name`: of what its path names; nothing: it has none.
std::uint32_t input_permissions(const Source* content, const std::optional<platform::FileStatus>& name);

}  // namespace perfdata::tool
