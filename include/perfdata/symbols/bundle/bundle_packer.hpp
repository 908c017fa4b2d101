// SPDX-License-Identifier: MIT
// Packs the container of a bundle: a tar-ball with one zstd frame a member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/progress.hpp"

namespace perfdata {

class Source;

inline constexpr std::size_t longest_bundled_name = 4096;  // bytes: PATH_MAX of Linux

// Returns true for a relative name without empty parts, "." and "..": it means the same to everybody who unpacks it.
PERFDATA_EXPORT bool is_bundled_name(std::string_view name);

// PackedMember is a file to pack.
struct PackedMember {
    std::string name;              // inside of the bundle: see is_bundled_name()
    Shared<const Source> content;  // never null; read once, in order
    std::string sha256{};          // what sha256_of() returned for the content; empty: it is not compared
};

// sha256_of(content, watch) returns the hash of a content as 64 hexadecimal digits. Errors: io, cancelled.
PERFDATA_EXPORT Result<std::string> sha256_of(const Source& content, const Watch& watch = {});

// pack_members(members, put, watch) packs the members in their order, and passes what it made to put() piece by piece.
// Header, content and padding of a member are one zstd frame that says how long they are; a last frame ends the
// tar-ball. Equal members make equal bytes: there are no times and no owners. Memory does not grow with the members.
// watch is told of bytes read of all contents. What put() throws passes. Errors: unsupported (see
// ArchivedFiles::available()), malformed (a name that cannot be in a bundle), io (also a content that has changed
// meanwhile), cancelled.
PERFDATA_EXPORT Result<void> pack_members(std::span<const PackedMember> members, const Callback<void(Bytes)>& put,
                                          const Watch& watch = {});

}  // namespace perfdata
