// SPDX-License-Identifier: MIT
// What tells recordings apart.
#pragma once

#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// content_hash(recording, watch) returns 32 bytes: the SHA-256 over each of Recording::input_files(), in order: its
// name and a zero byte, its size as 8 bytes, little-endian, and its bytes. Of a packed recording these are the unpacked
// ones. Errors: io, cancelled.
Result<std::string> content_hash(const Recording& recording, const Watch& watch = {});

// hash_of_code(bytes) returns the SHA-256 of some bytes.
std::string hash_of_code(Bytes bytes);

}  // namespace perfdata
