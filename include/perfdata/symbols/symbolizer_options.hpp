// SPDX-License-Identifier: MIT
// Where names, bytes and lines of code may come from.
#pragma once

#include <string>
#include <vector>

#include "perfdata/core/shared.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/elf/find/finder_options.hpp"
#include "perfdata/timeline/jit_search.hpp"

namespace perfdata {

class FileSystem;
class SymbolCache;

// SourceFileOptions is where texts of source lines come from.
struct SourceFileOptions {
    // Directories to search for source files: in each the recorded path as it is, then without its first parts, one by
    // one. Empty: reads no source files except those in --symfs.
    std::vector<std::string> source_dirs;
    // Read source files of this machine at the paths in debug information.
    bool local_sources = false;
};

// SymbolizerOptions is where everything about code comes from, and who watches.
struct SymbolizerOptions {
    FinderOptions finder;    // where files are searched, and limits
    JitSearch jit;           // where to search for jitdumps and perf maps, with the files of --jitdump and --perf-map
    bool perf_maps = true;   // read perf-PID.map files
    Progress progress = {};  // of unpacking a build-id cache, the only step that may take long
    Shared<const FileSystem> files = {};  // null: this machine's, as far as `finder` allows
    std::string kcore = {};  // a copy of /proc/kcore, whole or in part; empty: that of the recording's directory
    SourceFileOptions sources = {};  // where texts of source lines are searched
    bool demangle = true;            // names of C++ and Rust as in the source; false: as in the file
    // Keeps what is read of files for other Symbolizers that have it; null: it is read for this one.
    Shared<const SymbolCache> cache = {};
    // Once it stops, open() ends early, without the files that it has not read or unpacked yet: throw that Symbolizer
    // away.
    StopToken stop = {};
};

}  // namespace perfdata
