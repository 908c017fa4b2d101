// SPDX-License-Identifier: MIT
// Unpacks a stream of zlib in one step.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "perfdata/core/types.hpp"

namespace perfdata {

// unpack_zlib_at_once(packed, out) fills `out`, and returns how many bytes the stream has, at most as many as `out`
// takes. Returns nothing if it has more, is damaged, or if this was built without libdeflate: unpack_zlib() knows more.
// It accepts some streams that zlib refuses: with codes that no compressor makes.
// Takes 1.7 ms for a MiB, where unpack_zlib() takes 4 ms, and cannot be stopped.
std::optional<std::size_t> unpack_zlib_at_once(Bytes packed, std::span<char> out);

}  // namespace perfdata
