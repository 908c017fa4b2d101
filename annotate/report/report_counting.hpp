// SPDX-License-Identifier: MIT
// What a report needs counted, and what it matches names with.
#pragma once

#include <cstdint>

#include "perfdata/annotate/report/report.hpp"

namespace perfdata {

// count_cut_names(counts, symbolizer, options) counts the functions whose names are longer than patterns look at.
std::uint64_t count_cut_names(const SampleCounts& counts, const Symbolizer& symbolizer, const ReportOptions& options);

}  // namespace perfdata
