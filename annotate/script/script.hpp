// SPDX-License-Identifier: MIT
// Samples one after the other in exact order of time, in the words of perf script.
#pragma once

#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "script_fields.hpp"

namespace perfdata {

struct ScriptOptions {
    bool json = false;
    FieldChoice fields;  // fitted to the recording; of text only
    bool chains = true;
    std::size_t most_frames = 127;  // of a chain
    bool nanoseconds = false;       // of text: nine digits behind the point, not six
    std::string arch;               // of text: whose registers these are; empty: as the recording says
    SampleFilter filter;
    std::set<std::string, std::less<>> symbols, objects;  // only samples in these; empty: all
    std::stop_token stop;
    Progress progress = {};
};

// ScriptCounts is what was written.
struct ScriptCounts {
    std::uint64_t samples = 0;
    std::uint64_t broken_chains = 0;       // whose user part was deferred and never came
    std::uint64_t deep_chains = 0;         // of more than ScriptOptions::most_frames
    std::uint64_t unread_formats = 0;      // of tracepoints: damaged or too long, their samples show bytes
    std::uint64_t stacks_not_unwound = 0;  // of samples whose callers in user space are nowhere else
    WithoutBuildId without_build_id;       // objects without names; their samples are not counted
    bool unnamed_kernel = false;           // code of the kernel has no names
    // What of ScriptOptions::symbols and objects no sample fell into, and, if there is any, what there is, sorted.
    std::vector<std::string> absent_symbols, absent_objects, other_symbols, other_objects;
};

// write_script(...) reads the samples only: what was lost is in the timeline's completeness(). The only
// errors are `cancelled` and `out_of_memory`.
Result<ScriptCounts> write_script(const Recording& recording, const Symbolizer& symbolizer,
                                  const ScriptOptions& options, const Sink& sink);

}  // namespace perfdata
