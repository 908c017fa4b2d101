// SPDX-License-Identifier: MIT
// Which events of a recording a report shows as columns, and in which tables.
#pragma once

#include <cstddef>
#include <vector>

#include "perfdata/annotate/report/report.hpp"

namespace perfdata {

// Fills in the report's events, groups and ratios. Returns the column of each of its events in the counts. Events
// without samples (such as perf's "dummy") get none, unless a group has them that has samples.
std::vector<std::size_t> choose_columns(const Recording& recording, const SampleCounts& counts,
                                        const ReportOptions& options, Report& report);

// Distributes so many columns over the report's tables: see ReportTables. choose_columns() comes first.
void choose_tables(const ReportOptions& options, std::size_t columns, Report& report);

}  // namespace perfdata
