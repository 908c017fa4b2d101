// SPDX-License-Identifier: MIT
// The measured tasks: ways to read a recording with the library, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "totals.hpp"

namespace perfdata::bench {

struct Task {
    std::string_view name;
    double most, most_packed;  // times the yardstick; for recordings made with -z, times unpacking and the yardstick
    Totals (*run)(const std::string& path);
    bool fields;  // sums fields, rather than only counting records
};

std::span<const Task> tasks();

}  // namespace perfdata::bench
