// SPDX-License-Identifier: MIT
// The order of a report's rows.
#pragma once

#include "perfdata/annotate/report/report.hpp"

namespace perfdata {

// Sorts rows by the periods of the event that the first table is sorted by, then by task and place, which are unique
// together: the order is deterministic.
void sort_rows(const SampleCounts& counts, const ReportOptions& options, Report& report);

}  // namespace perfdata
