// SPDX-License-Identifier: MIT
// Where jitdump files and perf maps are looked for.
#pragma once

#include <string>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/handed_on.hpp"
#include "perfdata/recording/progress.hpp"

namespace perfdata {

struct FileName;

// JitSearch lists where to look, in this order: files given by the user, below symfs, next to the recording, in its
// bundle, and where the recorded machine had them, unless there is a symfs. Files given by the user are opened whatever
// they are, found ones as by open_named_file(). No link leads out of symfs, nor away from the recording.
struct JitSearch {
    std::vector<std::string> given;         // --jitdump FILE
    std::string symfs;                      // --symfs DIRECTORY; empty: none
    std::vector<std::string> beside;        // directories, such as that of the recording
    bool as_recorded = true;                // false under --offline: this machine is not the recorded one
    Limits limits{};                        // for unpacking given files to look at their headers
    std::vector<std::string> given_maps{};  // --perf-map FILE
    Watch watch{};                          // of unpacking given files
    std::string bundle{};                   // directory in a bundle with recorded paths; empty: none
    // What is found is handed on to others than this user: see fit_to_hand_on().
    HandedOn handed_on = HandedOn::no;
    // Says whether there is such a file; empty: on this machine.
    Callback<bool(const FileName&)> has{};
};

}  // namespace perfdata
