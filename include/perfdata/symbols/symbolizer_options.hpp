// SPDX-License-Identifier: MIT
// Where names, bytes and lines of code may come from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/elf/find/finder_options.hpp"
#include "perfdata/timeline/jit_search.hpp"

namespace perfdata {

class FileSystem;

struct SourceFileOptions {
    // Directories to look for source files in: below each the recorded path as it is, then without its first parts, one
    // after the other. Empty: no source file is read, but for those next to --symfs.
    std::vector<std::string> source_dirs;
    // Read source files where debug information says that they are, on this machine.
    bool local_sources = false;
};

struct SymbolizerOptions {
    FinderOptions finder;
    JitSearch jit;  // where jitdump files and perf maps may be; its `given` are --jitdump and --perf-map files
    bool perf_maps = true;
    Progress progress = {};                        // of unpacking a build-id cache, the one step that may take long
    std::shared_ptr<const FileSystem> files = {};  // null: the machine's, as far as `finder` allows
    std::string kcore =
        {};  // a copy of /proc/kcore, whole or only some pages; empty: that of the recording's directory
    SourceFileOptions sources = {};
};

}  // namespace perfdata
