// SPDX-License-Identifier: MIT
// Selects the functions that perfdata annotate lists.
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
    std::vector<std::string> kinds;    // in the words of kind_name(); empty: all
    std::vector<std::string> objects;  // full paths or their last parts; empty: all
    std::optional<Time> at;            // only versions that existed then
    bool versions = false;             // only functions with several versions, with every version
};

struct ChosenFunctions {
    std::vector<FunctionHits> functions;     // most hits first
    std::vector<Unattributed> unattributed;  // samples outside of the functions
    std::vector<std::string> absent;         // reasons why functions requested by name are absent
};

// choose_functions(...): a function requested by name is included even without samples if the recording itself knows
// it. Errors: missing, with suggestions, if no requested function is found.
Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Recording& recording,
                                         const Profile& profile, const Symbolizer& symbolizer);

}  // namespace perfdata::tool
