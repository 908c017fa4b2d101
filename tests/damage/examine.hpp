// SPDX-License-Identifier: MIT
// Everything that the library does with a recording, from opening it to its pages.
#pragma once

#include <cstdint>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata::test {

// Examined is what came of it. Two examinations of the same bytes give the same.
struct Examined {
    std::uint64_t samples = 0;  // framed
    std::uint64_t decoded = 0;
    std::uint64_t functions = 0;
    std::uint64_t page_bytes = 0;  // of all pages together
};

// examine(file, limits) reads features, timeline, profile, listings, report and script, and writes the pages as text,
// JSON and HTML. No file but this one is looked at. The error is the first that a call returned.
Result<Examined> examine(Bytes file, const Limits& limits = {});

}  // namespace perfdata::test
