// SPDX-License-Identifier: MIT
// What perfdata annotate needs for an HTML page only.
#pragma once

#include <span>
#include <vector>

#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

// html_listings(functions, totals) is how many of them get a listing: those that somebody will look at. The others are
// rows of the table.
std::size_t html_listings(std::span<const FunctionHits> functions, const EventCounts& totals);

// count_flame(...) looks at every sample once more, with its callers: for the flame graph, and for CallEdges::make() if
// calls are wanted. The only error is `cancelled`.
Result<SampleCounts> count_flame(const Recording& recording, const Symbolizer& symbolizer, bool calls,
                                 const CallOptions& counting);

// html_notes(symbolizer, kernel): what is wrong with files that names and code come from. kernel: as of warn_names().
std::vector<std::string> html_notes(const Symbolizer& symbolizer, bool kernel);

}  // namespace perfdata::tool
