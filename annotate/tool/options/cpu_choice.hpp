// SPDX-License-Identifier: MIT
// The option --cpu of commands that select samples.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// CpuRange is "2-3" or "2", both ends included.
struct CpuRange {
    std::uint32_t first = 0, last = 0;
};

// parse_cpus(word) parses one element of a list of CPUs.
Result<CpuRange> parse_cpus(const std::string& word);
// Returns the CPUs of all elements, which may overlap. Errors: those of parse_cpus().
Result<std::set<std::uint32_t>> chosen_cpus(const std::vector<std::string>& words);

}  // namespace perfdata::tool
