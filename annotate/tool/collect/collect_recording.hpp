// SPDX-License-Identifier: MIT
// The files of a recording, as members of a bundle.
#pragma once

#include <vector>

#include "perfdata/recording/recording.hpp"

#include "bundle/bundle_writer.hpp"

namespace perfdata::tool {

// The name of the recording in a bundle.
inline constexpr const char* bundled_recording = "perf.data";

// Returns the file, or the files of the directory that perf makes there: its data, and copies of the kernel's memory
// and names. The main file is the first. Errors: io, limit, malformed, cancelled.
Result<std::vector<BundleContent>> recording_members(const Recording& recording, const Watch& watch);

}  // namespace perfdata::tool
