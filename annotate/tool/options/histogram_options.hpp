// SPDX-License-Identifier: MIT
// The option --histogram of commands that count samples.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/recording.hpp"

#include "trace/trace_histogram.hpp"

namespace perfdata::tool {

struct HistogramChoice {
    std::vector<std::string> fields;  // "ret", "args[2]", "trace:ret", "sys_exit.ret"

    // `where` says where the command shows them.
    void add_to(CLI::App& command, const char* where);

    // make(recording, events) prepares to count the fields of these events, by index in recording.events(); empty: of
    // all. Null if none is asked for. Errors: those of TraceHistograms::make().
    Result<std::shared_ptr<TraceHistograms>> make(const Recording& recording, std::vector<std::uint32_t> events) const;
};

// count_into(histograms, counting) has each counted sample counted there, too. Null: does nothing.
void count_into(std::shared_ptr<TraceHistograms> histograms, SampleCountOptions& counting);

// no_histogram_text(histograms) says that no sample is in any of them; empty if one is, or null.
std::string no_histogram_text(const TraceHistograms* histograms);

}  // namespace perfdata::tool
