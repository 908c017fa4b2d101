// SPDX-License-Identifier: MIT
// The trees of all rows of a report, on several threads.
#pragma once

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/core/stop_token.hpp"

#include "report_tree.hpp"

namespace perfdata {

// add_trees(input, stop, report) grows the trees of the report's rows, on the threads of the options. What it makes
// does not depend on their number. Throws ReportStopped.
void add_trees(const TreeGrower::Input& input, const StopToken& stop, Report& report);

}  // namespace perfdata
