// SPDX-License-Identifier: MIT
// The profile of one program for llvm-bolt: its "fdata" text.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "branch_counts.hpp"

namespace perfdata {

// BoltOptions is who watches.
struct BoltOptions {
    StopToken stop;
};

// write_bolt(...) writes what `llvm-bolt -data=FILE` reads. With branch stacks, each line is a branch that was taken,
// or code that goes on behind a jump that was not taken or into the target of another jump:
//
//     1 main 4 1 parse 0 0 12       main+0x4 to parse+0x0: 0 of 12 mispredicted; 0 [unknown] 0: outside of the program
//
// Without, "no_lbr EVENT" and samples: "1 main 4 12". Names are those of the file: the symbolizer must not demangle.
// Returns what is left out, in sentences for users. Errors: cancelled, out_of_memory.
Result<std::vector<std::string>> write_bolt(const BranchCounts& counts, const Symbolizer& symbolizer,
                                            const BoltOptions& options, const Sink& sink);

}  // namespace perfdata
