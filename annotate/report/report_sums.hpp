// SPDX-License-Identifier: MIT
// Sums of the rows of a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/core/stop_token.hpp"

#include "report_calls.hpp"

namespace perfdata {

// ReportStopped ends a report from the middle of any loop. Report::make() catches it.
struct ReportStopped {};

// sampled_frame(counts, row) returns the number of the frame in which the row's samples count as its own.
inline std::uint32_t sampled_frame(const SampleCounts& counts, const SampleCounts::Row& row) {
    return counts.chains()[counts.sampled(row.chain)].frame;
}

// is_other(counts, options, task) returns true if the samples of the task are left out for want of a parent.
inline bool is_other(const SampleCounts& counts, const ReportOptions& options, std::uint32_t task) {
    return options.exclude_other && counts.tasks()[task].parent.empty();
}

// SummedRows is what rows are made of. All must outlive it.
struct SummedRows {
    const SampleCounts& counts;
    const ReportOptions& options;
    const StopToken& stop;
    const std::vector<std::size_t>& columns;      // shown, by index in SampleCounts::events()
    const std::vector<std::uint32_t>& row_place;  // by number of the frame; or no_place
    std::size_t places;                           // how many
};

// sum_own(of, report) adds the rows of sampled places. Throws ReportStopped.
void sum_own(const SummedRows& of, Report& report);

// sum_with_callees(of, tasks, calls, report) adds the rows of all places in chains, with what they called, on the
// threads of the options. Throws ReportStopped.
void sum_with_callees(const SummedRows& of, const TaskRows& tasks, SharedCalls& calls, Report& report);

}  // namespace perfdata
