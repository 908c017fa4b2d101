// SPDX-License-Identifier: MIT
// The options of perfdata report for groups of events: --group, --group-sort-idx.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

#include "perfdata/annotate/report/report_options.hpp"

namespace perfdata::tool {

struct GroupChoice {
    bool together = false, single = false;
    std::uint32_t sort = 0;

    void add_to(CLI::App& command);
    void choose(ReportOptions& options) const;
};

}  // namespace perfdata::tool
