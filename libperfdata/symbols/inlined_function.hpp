// SPDX-License-Identifier: MIT
// The functions that the compiler inlined at some place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata {

struct InlinedFunction {
    std::uint64_t entry = 0;  // of its debug information: different functions of a file have different ones
    std::string_view name;    // as in the source, demangled; empty: unknown
};

struct InlinedFunctions {
    std::vector<InlinedFunction> functions;  // innermost first
    std::optional<Error> problem;            // why some, all or names of some are missing
    bool has_debug = false;                  // false: nor anywhere else in the object, and the problem stays the same
};

}  // namespace perfdata
