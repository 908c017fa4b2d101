// SPDX-License-Identifier: MIT
// Samples in exact time order, printed like perf script.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/unwound_stacks.hpp"

#include "btf/payload_output.hpp"
#include "report/unnamed_samples.hpp"
#include "script_fields.hpp"

namespace perfdata {

struct ScriptOptions {
    bool json = false;
    FieldChoice fields;  // fitted to the recording; for text only
    bool chains = true;
    bool inlines = true;            // of a chain: also frames of what the compiler inlined
    std::size_t most_frames = 127;  // of a chain, without inlined ones; 0: only the sampled address, as perf has it
    bool nanoseconds = false;       // of text: nine digits behind the point, not six
    std::string arch;               // of text: whose registers these are; empty: as the recording says
    SampleFilter filter;
    PayloadOutput* payloads = nullptr;  // writes what BPF programs wrote, and must outlive the call; null: as bytes
    // Threads that look up and write samples, at most 16. They call the sink one at a time.
    std::size_t jobs = 1;
    StopToken stop;
    Progress progress = {};
};

// ScriptCounts describes what was written.
struct ScriptCounts {
    std::uint64_t samples = 0;
    std::array<std::uint64_t, filter_parts> dropped{};  // samples that the filter left out, by FilterPart
    std::uint64_t broken_chains = 0;                    // the user part was deferred and never came
    std::uint64_t deep_chains = 0;                      // of more than ScriptOptions::most_frames
    std::uint64_t folded_chains = 0;                    // without some inlined functions, of which there are too many
    std::uint64_t unread_formats = 0;     // of tracepoints: damaged or too long, their samples are shown as bytes
    std::uint64_t large_formats = 0;      // of tracepoints: of too many parts, their samples are shown by their fields
    UnwoundStacks stacks;                 // copies of user stacks
    CounterLosses counter_losses;         // counter values in samples
    WithoutBuildId without_build_id;      // objects without names; their samples are not counted
    UnnamedSamples without_file;          // likewise
    bool unnamed_kernel = false;          // there are no names for kernel code
    std::vector<Error> inlined_problems;  // why frames of inlined functions are missing
    // Elements of CodeFilter::symbols and objects that match no sample, and, if there are any, those that exist,
    // sorted. Names of inlined functions have no samples of their own.
    std::vector<std::string> absent_symbols, absent_objects, other_symbols, other_objects, inlined_symbols;
};

// write_script(...) reads the samples only: what was lost is in the timeline's completeness(). Errors:
// `cancelled`, `out_of_memory`, and those of check_second_pass().
Result<ScriptCounts> write_script(const Recording& recording, const Symbolizer& symbolizer,
                                  const ScriptOptions& options, const Sink& sink);

}  // namespace perfdata
