// SPDX-License-Identifier: MIT
// The measured tasks: ways to read a recording with the library, by name, and what they take at least.
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
    // A plain loop: a bound of the task before it. It reads no recordings made with -z, and has no limit.
    bool plain = false;
};

std::span<const Task> tasks();

}  // namespace perfdata::bench
