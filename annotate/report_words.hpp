// SPDX-License-Identifier: MIT
// What stands in the fields of a report.
#pragma once

#include <string>

#include "perfdata/annotate/report.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_cpu = ~std::uint32_t{0};  // of a Runner: not recorded

// key_text(...) is a row's field for people.
std::string key_text(const ReportContext& context, const Report& report, const ReportRow& row, ReportKey key);
// cgroup_text(context, runner) is the path of its group; "-" if no group was recorded.
std::string cgroup_text(const ReportContext& context, const Runner& runner);

// tells_functions(options) is whether such a report names functions, so that names can be missing.
bool tells_functions(const ReportOptions& options);

}  // namespace perfdata
