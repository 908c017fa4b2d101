// SPDX-License-Identifier: MIT
// Does everything that the library can do with a recording, from opening it to writing pages.
#pragma once

#include <cstdint>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata::test {

// Examined is the result. Equal bytes give equal results.
struct Examined {
    std::uint64_t samples = 0;  // framed
    std::uint64_t decoded = 0;
    std::uint64_t functions = 0;
    std::uint64_t page_bytes = 0;  // of all pages together
    std::uint64_t stacks = 0;      // copies of user stacks
    std::uint64_t incomplete = 0;  // those that end before their outermost function
};

// examine(file, limits) reads features, timeline, profile, listings, report and script, and writes the pages as text,
// JSON and HTML. It opens no other files than those of the folder `symfs`, if there is one. Returns the first error.
Result<Examined> examine(Bytes file, const std::string& symfs = {});

}  // namespace perfdata::test
