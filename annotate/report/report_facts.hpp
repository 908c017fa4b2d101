// SPDX-License-Identifier: MIT
// What a report tells besides its rows: who ran, BPF programs, the recording, and what is missing.
#pragma once

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/timeline/tasks.hpp"

namespace perfdata {

// add_tasks(report, counts, tasks) fills the tables of tasks and cgroups.
void add_tasks(Report& report, const SampleCounts& counts, const Tasks& tasks);

// add_programs(report, symbols) names the BPF programs and functions that pages tell of the rows, once there are rows
// and places. Names of other programs take time that nobody asked for.
void add_programs(Report& report, const BpfPrograms& symbols);

// add_recording(report, ...) says what was recorded, and what of it was lost. It comes when all is named: names are
// read from files as they are asked for.
void add_recording(Report& report, const Recording& recording, const SampleCounts& counts,
                   const Symbolizer& symbolizer);

}  // namespace perfdata
