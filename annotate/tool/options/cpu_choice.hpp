// SPDX-License-Identifier: MIT
// The option --cpu of the commands that choose samples.
#pragma once

#include <cstdint>
#include <string>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// CpuRange is "2-3" or "2".
struct CpuRange {
    std::uint32_t first = 0, last = 0;
};

// parse_cpus(word) is one part of a list of CPUs.
Result<CpuRange> parse_cpus(const std::string& word);

}  // namespace perfdata::tool
