// SPDX-License-Identifier: MIT
// Which functions perfdata annotate lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/page/page.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct FunctionChoice {
    std::vector<std::string> symbols;  // empty: all
    std::vector<std::string> kinds;    // as kind_name() has them; empty: all
    std::vector<std::string> objects;  // whole or last parts; empty: all
    std::optional<Time> at;            // only versions of then
    bool versions = false;             // only functions with several versions, with all of these
};

struct ChosenFunctions {
    std::vector<FunctionHits> functions;     // most hits first
    std::vector<Unattributed> unattributed;  // all that none of them shows
    std::vector<std::string> absent;         // why functions that were asked for by name are not among them
};

// choose_functions(...): a function that is asked for by its name is there even without a sample, if the recording
// itself tells of it. Errors: missing, with what there is, if none is there that was asked for.
Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Recording& recording,
                                         const Profile& profile, const Symbolizer& symbolizer);

}  // namespace perfdata::tool
