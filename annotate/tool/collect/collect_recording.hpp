// SPDX-License-Identifier: MIT
// The files of a recording, as members of a bundle.
#pragma once

#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"

namespace perfdata::tool {

// The name of the recording in a bundle.
inline constexpr const char* bundled_recording = "perf.data";

// Returns the file, or the files of the directory that perf makes there: its data, and copies of the kernel's memory
// and names. The main file is the first. They are the files that the recording is read from, not what has their names
// by now. Errors: io, limit, malformed, cancelled.
Result<std::vector<BundleContent>> recording_members(const Recording& recording, const Watch& watch);

// Returns the other files of a bundle, to be packed once more. Errors: io, limit, malformed, cancelled.
Result<Needed> bundled_files(const Bundle& bundle, const NeededOptions& options);

}  // namespace perfdata::tool
