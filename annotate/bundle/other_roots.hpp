// SPDX-License-Identifier: MIT
// Files of processes that have another root directory than this one, such as those of containers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/progress.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "traced_files.hpp"

namespace perfdata {

// OtherRoots is the root directories of recorded processes, by pid.
struct OtherRoots {
    std::map<std::uint32_t, std::string> of_pid;

    // Finds the living processes of the recording whose root, or whose mounts, are not those of this process:
    // /proc/PID/root. `given` counts before. A pid may be another process by now: build ids prove what is found there.
    static OtherRoots find(const Timeline& timeline, std::map<std::uint32_t, std::string> given, const Watch& watch);

    // Returns each directory once, those of the lowest pids first, and at most 64: each name that is not found is
    // looked for in all of them.
    std::vector<std::string> directories() const;
};

// Has objects with a recorded build id found in these roots, where the file at their path here is another one or is
// missing. Objects without one are found in the roots of the processes that mapped them, and never here if all of these
// have another root. Returns the paths of which they have different files: it takes none of these. Errors: cancelled.
Result<std::vector<std::string>> find_objects(const OtherRoots& roots, const Timeline& timeline, const Limits& limits,
                                              TracedFiles& files, const Watch& watch);

}  // namespace perfdata
