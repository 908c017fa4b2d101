// SPDX-License-Identifier: MIT
// The part of a profile that there is once, and the recording that it is of.
#pragma once

#include "perfdata/profile/sample_counts.hpp"

#include "making.hpp"

namespace perfdata {

class MadeObjects;

// add_source(making, counts, hash) adds the recording, with what content_hash() returned.
void add_source(Making& making, const SampleCounts& counts, std::string hash);
// add_recorded_facts(making) adds what the recording and the pass of the timeline say. It may take a pass to find the
// architecture.
void add_recorded_facts(Making& making);
// add_counted_facts(making, objects, counts) adds what the counting lost.
void add_counted_facts(Making& making, MadeObjects& objects, const SampleCounts& counts);
// add_symbol_facts(making) adds what the symbolizer lacks and lost: call it when nothing more is asked of it.
void add_symbol_facts(Making& making);

}  // namespace perfdata
