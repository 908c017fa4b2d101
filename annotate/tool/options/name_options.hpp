// SPDX-License-Identifier: MIT
// The options that say where names of code come from, spelled as perf spells them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "tool/tool.hpp"

namespace perfdata::tool {

// NameChoice: without any option, a recording is named by what it holds itself and by the files of this machine that
// its build ids prove to be the recorded ones. That suffices right after recording.
struct NameChoice {
    std::string vmlinux, kallsyms, symfs, buildid_dir;
    std::string kcore;                    // see add_code_to()
    std::vector<std::string> debug_dirs;  // besides /usr/lib/debug
    std::vector<std::string> jit_dumps, perf_maps;
    bool offline = false;
    bool allow_local = false;
    unsigned jobs = 0;  // threads that load files; 0: one per CPU

    void add_to(CLI::App& command);
    // add_code_to(command) adds what says where code itself comes from, for commands that show it.
    void add_code_to(CLI::App& command);
    // options(recording, progress): progress is told of what takes long.
    SymbolizerOptions options(const Recording& recording, Progress progress) const;
    // check(symbolizer): a file given for the kernel is used, or it fails. Names of another kernel or boot would be
    // wrong ones, and without those asked for there are others than the user thinks. Where the recording does not say
    // enough to tell, that is a note as others.
    Result<void> check(const Symbolizer& symbolizer) const;
    unsigned threads() const;
};

// warn_names(common, symbolizer) tells what could not be loaded and what would supply it, unless --quiet. kernel: code
// of the kernel lacks names.
void warn_names(const Common& common, const Symbolizer& symbolizer, bool kernel = true);

// is_unnamed_kernel(symbolizer, frame) is whether the frame is in code of the kernel that lacks a name.
bool is_unnamed_kernel(const Symbolizer& symbolizer, const Frame& frame);

}  // namespace perfdata::tool
