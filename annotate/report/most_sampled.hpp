// SPDX-License-Identifier: MIT
// Names of the objects or files with the most samples, for messages: "libc.so.6, app, ...".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfdata {

// SamplesOf is a name with its samples.
using SamplesOf = std::pair<std::string_view, std::uint64_t>;

// most_sampled(names) returns at most three names: those with the most samples first, equal counts in order of name.
std::vector<std::string_view> most_sampled(std::vector<SamplesOf> names);

// listed(names, all) joins the names of some objects, and says if there are more: "a, b, c, ...".
std::string listed(std::span<const std::string> names, std::uint64_t all);

}  // namespace perfdata
