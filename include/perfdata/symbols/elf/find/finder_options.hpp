// SPDX-License-Identifier: MIT
// Where to search for files of the recorded machine.
#pragma once

#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/handed_on.hpp"

namespace perfdata {

struct FileName;

// FinderOptions is where files of the recorded machine may be, and what counts as proof.
struct PERFDATA_EXPORT FinderOptions {
    // Given by the user, or part of the recording: also searched when offline.
    std::string recording_dir{};  // a directory recording, with a build-id cache or kcore_dir
    // A copy of the recorded machine's file system. It replaces the viewing machine's, as when offline: the user's
    // cache and the directories of debug files are those in it.
    std::string symfs{};
    std::string buildid_dir{};  // a build-id cache, or a tar-ball of `perf archive` (with ArchivedFiles)
    std::string vmlinux{};      // a file with the kernel's symbols; empty: none given
    std::string kallsyms{};     // a copy of /proc/kallsyms; empty: none given
    // The directory of a bundle, see Bundle::directory(): searched behind what the user gave, and instead of the
    // viewing machine.
    std::string bundle{};

    // On the viewing machine: not searched when offline.
    std::string local_buildid_dir{};  // the user's build-id cache, usually $HOME/.debug

    // Directories of separate debug files: searched below symfs if that is given, else on this machine.
    std::vector<std::string> debug_dirs{"/usr/lib/debug"};

    std::vector<std::string> given_debug_dirs{};  // given by the user: searched as they are, and below symfs
    bool offline = false;                         // this machine is not the recorded one: use none of its own files
    // Use a local file of the recorded name without proof by a build-id, as perf does.
    bool allow_local = false;
    // What is found is handed on to others than this user: a local file without proof is used only if it is fit for
    // that, see fit_to_hand_on().
    HandedOn handed_on = HandedOn::no;
    // The recorded machine's, as in `architectures`; empty: unknown. A file without proof is used only if it runs on
    // it.
    std::string architecture{};

    Limits limits{};  // for reading and unpacking these files

    // Returns true if the viewing machine's own files may be used.
    bool machine() const { return !offline && symfs.empty() && bundle.empty(); }
    // Returns the directory with files of a bundle by their recorded paths; empty if there is no bundle.
    std::string bundle_root() const { return bundle.empty() ? std::string() : bundle + "/root"; }
    // caches() returns the build-id caches to search, in order of preference; debug_roots() the directories of debug
    // files. No link leads out of them, except on the viewing machine itself.
    std::vector<FileName> caches() const;
    std::vector<FileName> debug_roots() const;
};

}  // namespace perfdata
