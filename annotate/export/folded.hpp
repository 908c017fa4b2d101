// SPDX-License-Identifier: MIT
// Folded stacks, one a line: what flamegraph.pl, inferno, speedscope and Firefox's profiler read.
#pragma once

#include <cstdint>

#include "perfdata/annotate/format/sink.hpp"

#include "exported.hpp"

namespace perfdata {

// FoldedOptions is the form of a line.
struct FoldedOptions {
    bool periods = false;  // count periods, not samples
    bool kinds = true;     // mark functions as flamegraph.pl does: _[k] kernel, _[j] JIT, _[i] inlined, and _[b] BPF
};

// write_folded(...) writes "command;outermost;...;innermost count", sorted. With several events, the event is the
// outermost frame. Made without addresses: frames differ by function only. Returns how many stacks lack callers, see
// StackRoom.
std::uint64_t write_folded(const Exported& exported, const FoldedOptions& options, const Sink& sink);

}  // namespace perfdata
