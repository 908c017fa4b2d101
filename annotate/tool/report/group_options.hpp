// SPDX-License-Identifier: MIT
// The options of perfdata report for groups of events: --group, --group-sort-idx.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/annotate/report/report_options.hpp"

namespace perfdata::tool {

struct GroupChoice {
    bool together = false, single = false;
    std::uint32_t sort = 0;

    void add_to(CLI::App& command);
    void choose(ReportOptions& options) const;
    // no_effect(report) says that no table has the event of --group-sort-idx; empty if one has it.
    std::string no_effect(const Report& report) const;
};

}  // namespace perfdata::tool
