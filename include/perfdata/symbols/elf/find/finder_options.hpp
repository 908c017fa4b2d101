// SPDX-License-Identifier: MIT
// Where files of the recorded machine are looked for.
#pragma once

#include <string>
#include <vector>

#include "perfdata/core/limits.hpp"

namespace perfdata {

struct FileName;

struct FinderOptions {
    // Given by the user, or belonging to the recording: looked at even when offline.
    std::string recording_dir{};  // a directory with a copy of the cache, or with kcore_dir
    // symfs is a copy of the recording machine's file system. It stands for all of it: then nothing of the viewing
    // machine is looked at, as when offline, and the user's cache and the directories of debug files are those in it.
    std::string symfs{};
    std::string buildid_dir{};  // a build-id cache, or what `perf archive` packed (with ArchivedFiles)
    std::string vmlinux{}, kallsyms{};

    // Of the viewing machine: not looked at when offline.
    std::string local_buildid_dir{};  // its user's cache, usually $HOME/.debug
    std::vector<std::string> debug_dirs{"/usr/lib/debug"};
    std::vector<std::string> given_debug_dirs{};  // by the user: looked at where they are with symfs, too
    bool offline = false;
    // Take a local file of the recorded name though no build id proves that it is the same, as perf does.
    bool allow_local = false;
    // Of the recorded machine, as in `architectures`; empty: not known. A file without proof is taken only if it runs
    // there.
    std::string architecture{};

    Limits limits{};

    // machine() is whether the viewing machine's own files may be looked at.
    bool machine() const { return !offline && symfs.empty(); }
    // caches() is the directories of all build-id caches that may be looked at, in order of preference, and
    // debug_roots() those of debug files. No link leads out of them, but for what the machine has itself.
    std::vector<FileName> caches() const;
    std::vector<FileName> debug_roots() const;
};

}  // namespace perfdata
