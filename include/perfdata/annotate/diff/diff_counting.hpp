// SPDX-License-Identifier: MIT
// What is compared, made from a recording.
#pragma once

#include "perfdata/annotate/diff/diff_counts.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// DiffCountOptions is which samples count.
struct DiffCountOptions {
    SampleFilter filter;     // which samples count
    bool relative = false;   // shares are of what the filters leave, not of all samples of the events, times and CPUs
    StopToken stop;          // by default it never stops
    Progress progress = {};  // by default nobody is told
    unsigned jobs = 1;       // see SampleCountOptions::jobs
};

// count_for_diff(...) counts the samples by function and names them. Nothing of the result refers to the recording: it
// may be closed before another one is opened. Errors: cancelled, out_of_memory.
PERFDATA_EXPORT Result<DiffCounts> count_for_diff(const Recording& recording, const Symbolizer& symbolizer,
                                                  const DiffCountOptions& options = {});

}  // namespace perfdata
