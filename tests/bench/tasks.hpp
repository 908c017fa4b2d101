// SPDX-License-Identifier: MIT
// What is measured: ways to read a recording with the library, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "totals.hpp"

namespace perfdata::bench {

struct Task {
    std::string_view name;
    double most, most_packed;  // times the yardstick; of recordings made with -z, times unpacking and the yardstick
    Totals (*run)(const std::string& path);
    bool fields;  // whether it adds up fields, or only counts records
};

std::span<const Task> tasks();

}  // namespace perfdata::bench
