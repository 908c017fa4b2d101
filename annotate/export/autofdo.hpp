// SPDX-License-Identifier: MIT
// The profile of one program for compilers: LLVM's sample profile as text.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "branch_counts.hpp"

namespace perfdata {

// AutofdoOptions is who watches.
struct AutofdoOptions {
    StopToken stop;
};

// write_autofdo(...) writes what `clang -fprofile-sample-use=FILE` and `llvm-profdata merge --sample` read:
//
//     main:840:0                    function, its samples times bytes of code, calls of it
//      1: 20                        line 1 behind the declaration ran 20 times
//      2.1: 20 parse:18 skip:2      line 2, discriminator 1, with calls
//      3: parse:300                 was inlined there
//       1: 20
//
// A line counts as often as its instruction that ran most. Without branch stacks samples are added up instead.
// Functions have their linkage names: the symbolizer must not demangle. Functions without lines are left out.
// Returns what is left out, in sentences for users. Errors: cancelled, out_of_memory.
Result<std::vector<std::string>> write_autofdo(const BranchCounts& counts, const Symbolizer& symbolizer,
                                               const AutofdoOptions& options, const Sink& sink);

}  // namespace perfdata
