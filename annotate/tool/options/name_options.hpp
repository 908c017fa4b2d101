// SPDX-License-Identifier: MIT
// The options for names of code, spelled as in perf.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "tool/tool.hpp"

namespace perfdata::tool {

// NameChoice: without options, names come from the recording itself and from local files that its build ids prove to
// match. That suffices right after recording.
struct NameChoice {
    std::string vmlinux, kallsyms, symfs, buildid_dir;
    std::string kcore;                    // see add_code_to()
    std::vector<std::string> debug_dirs;  // in addition to /usr/lib/debug
    std::vector<std::string> jit_dumps, perf_maps;
    bool offline = false;
    bool allow_local = false;
    bool demangle = true;
    unsigned jobs = 0;  // threads that load files and count samples; 0: one per CPU

    void add_to(CLI::App& command);
    // add_code_to(command) adds the options for code itself, for commands that show it.
    void add_code_to(CLI::App& command);
    // options(recording, progress): long steps report to `progress`.
    SymbolizerOptions options(const Recording& recording, Progress progress) const;
    // check(symbolizer) fails if a file given for the kernel is not used: names of another kernel or boot would be
    // wrong, and falling back to other names would mislead the user. If the recording does not prove a mismatch, that
    // is only a note.
    Result<void> check(const Symbolizer& symbolizer) const;
    unsigned threads() const;
    // Returns the options that were given and mean nothing to a profile file, whose names are inside.
    std::vector<std::string_view> without_effect() const;
};

// warn_names(common, symbolizer) reports what could not be loaded and the remedy, unless --quiet. kernel: some kernel
// code lacks names.
void warn_names(const Common& common, const Symbolizer& symbolizer, bool kernel = true);

// is_unnamed_kernel(symbolizer, frame) returns true for a frame in kernel code without a name.
bool is_unnamed_kernel(const Symbolizer& symbolizer, const Frame& frame);

}  // namespace perfdata::tool
