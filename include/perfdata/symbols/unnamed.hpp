// SPDX-License-Identifier: MIT
// Why code has no name, whatever kind of code it is.
#pragma once

#include <compare>
#include <string_view>

#include "perfdata/symbols/names.hpp"

namespace perfdata {

// Unnamed is in words for people; they live for ever.
struct Unnamed {
    std::string_view reason;
    std::string_view remedy;  // what would supply the name; empty: nothing

    auto operator<=>(const Unnamed&) const = default;
};

inline constexpr std::string_view no_kernel_names = "there are no names of the recorded kernel";

// why_unnamed(names, frame) is for a frame that has no symbol.
Unnamed why_unnamed(const Names& names, const Frame& frame);

}  // namespace perfdata
