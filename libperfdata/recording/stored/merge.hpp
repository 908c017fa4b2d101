// SPDX-License-Identifier: MIT
// Merges profiles: associative, commutative, and deterministic to the byte.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"

#include "model.hpp"

namespace perfdata::stored {

struct MergeOptions {
    bool allow_duplicates = false;  // the same recording may be in several of them
    StopToken stop = {};
};

// Named is a profile with what messages call it.
struct Named {
    std::string name;
    Model model;
};

// merge(profiles) returns their sum. One profile is returned as it is. Of several, run-time numbers that mean nothing
// to each other are given up: times, orders, inodes; what names code is listed at the rows ("Merged: ..."). Dimensions
// that one of them lacks are left out of all.
//
// Errors, each naming the two that do not go together: mismatch (another architecture or byte order, an event of the
// same name that is another one, the same recording twice, symbols in one alone), limit (more rows than there are
// numbers), cancelled.
Result<Model> merge(std::vector<Named> profiles, const MergeOptions& options = {});

}  // namespace perfdata::stored
