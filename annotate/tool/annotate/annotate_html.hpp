// SPDX-License-Identifier: MIT
// The parts of perfdata annotate for HTML pages only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "trace/trace_histogram.hpp"

namespace perfdata::tool {

// html_listings(functions, totals) returns how many of the functions get a listing: those hot enough to be read. The
// others are table rows only.
std::size_t html_listings(std::span<const FunctionHits> functions, const EventCounts& totals);

// count_flame(...) makes one more pass over all samples with their callers, for the flame graph and, with `calls`, for
// CallEdges::make(). With `inlines` the flame graph has inlined functions. It counts into the histograms, if they are
// not null. The only error is `cancelled`.
Result<SampleCounts> count_flame(const Recording& recording, const Symbolizer& symbolizer, bool calls, bool inlines,
                                 const CallOptions& counting, std::shared_ptr<TraceHistograms> histograms);

// html_notes(symbolizer, kernel) returns problems of files of names and code. kernel: see warn_names().
std::vector<std::string> html_notes(const Recording& recording, const Symbolizer& symbolizer, bool kernel);

}  // namespace perfdata::tool
