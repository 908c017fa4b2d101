// SPDX-License-Identifier: MIT
// Features whose mere presence is the information, with an empty section: BRANCH_STACK (15), samples have branch
// stacks, and STAT (19), made by perf stat record. write_branch_stack, write_stat in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/number.hpp"

namespace perfdata {

// is_flag(feature) returns true if its section has no content.
constexpr bool is_flag(Feature feature) {
    return feature == Feature::branch_stack || feature == Feature::stat;
}

}  // namespace perfdata
