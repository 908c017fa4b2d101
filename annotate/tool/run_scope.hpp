// SPDX-License-Identifier: MIT
// What a run of a command gets, and leaves, where it is one of many runs in a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/symbol_cache.hpp"

namespace perfdata::tool {

// RunScope stands for the process in a run that has none for itself: Common::scope refers to it. It belongs to one run,
// and to the thread of that run.
struct RunScope {
    // For the run.
    Sink document;                    // takes the output if there is no file for it
    Shared<const SymbolCache> cache;  // shared by all runs; may be null
    // Shared by all runs, as the cache requires: this machine's files, with Reach::machine and with Reach::given.
    Shared<const FileSystem> machine_files, given_files;
    unsigned threads = 1;  // that the run may use, its own included
    StopToken stop;        // ends it early, with the error `cancelled`

    // Of the run. Messages are as many as complain() would print: warn_losses() bounds them, by Limits::diagnostics.
    std::vector<std::string> messages;     // notes and warnings, without "perfdata: "
    std::optional<Error> error;            // why it failed
    std::optional<std::uint64_t> samples;  // that it counted; empty: it counts none
    std::optional<std::uint64_t> losses;   // diagnostics; empty: it did not come so far
    bool lossy = false;                    // --strict would exit with `losses`
    bool lacked_memory = false;            // something is missing only because memory ran out

    // take(completeness, other_losses) notes what was lost.
    void take(const Completeness& completeness, bool other_losses) {
        losses = completeness.diagnostics.count();
        lossy = other_losses || !completeness.lossless();
        for (const auto& problem : completeness.diagnostics.kept()) take(problem);
    }
    // take(error) notes if memory ran out.
    void take(const Error& problem) {
        if (problem.code == ErrorCode::out_of_memory) lacked_memory = true;
    }
};

}  // namespace perfdata::tool
