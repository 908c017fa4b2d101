// SPDX-License-Identifier: MIT
// What stands in the fields of a report.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "perfdata/annotate/report/report.hpp"

#include "format/words.hpp"
#include "report/without_build_id.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_cpu = ~std::uint32_t{0};  // of a SampledTask: not recorded

// key_text(...) is a row's field for people.
std::string key_text(const ReportContext& context, const Report& report, const ReportRow& row, ReportKey key);
// cgroup_text(context, task) is the path of its group; "-" if no group was recorded.
std::string cgroup_text(const ReportContext& context, const SampledTask& task);

// TreeRoom is room for the names of a report's trees. Each node brings some, so that only names which are long and
// stand in very many nodes are shortened.
class TreeRoom {
  public:
    // next() is how many bytes the next node's name may have.
    std::size_t next() {
        constexpr std::size_t each = 256, least = 64;
        left_ += each;
        return std::clamp(left_, least, most_shown);
    }
    void take(std::size_t bytes) { left_ -= std::min(left_, bytes); }

  private:
    std::size_t left_ = std::size_t{1} << 20;
};

// without_build_id(context, report) is which objects of the report's rows have no names for want of a build id.
WithoutBuildId without_build_id(const ReportContext& context, const Report& report);

// tells_functions(options) is whether such a report names functions, so that names can be missing.
bool tells_functions(const ReportOptions& options);

}  // namespace perfdata
