// SPDX-License-Identifier: MIT
// What a report says besides its rows: tasks, BPF programs, the recording, and what is missing.
#pragma once

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/timeline/tasks.hpp"

namespace perfdata {

void add_tasks(Report& report, const SampleCounts& counts, const Tasks& tasks);

// add_programs(report, symbols) names the BPF programs and functions of the rows; call it after rows and places are
// made. It skips programs outside the report, because finding names takes time.
void add_programs(Report& report, const BpfPrograms& symbols);

// add_recording(report, ...) adds facts about the recording and what was lost. Call it after all naming: files of names
// are read on demand, and their problems count.
void add_recording(Report& report, const Recording& recording, const SampleCounts& counts,
                   const Symbolizer& symbolizer);

}  // namespace perfdata
