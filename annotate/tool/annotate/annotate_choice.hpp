// SPDX-License-Identifier: MIT
// Selects the functions that perfdata annotate lists.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/page/page.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct FunctionChoice {
    std::vector<std::string> symbols;  // empty: all
    std::optional<Time> at;            // only versions that existed then
    bool versions = false;             // only functions with several versions, with every version
};

struct ChosenFunctions {
    std::vector<FunctionHits> functions;     // most hits first
    std::vector<Unattributed> unattributed;  // samples outside of the functions
    std::vector<std::string> absent;         // why functions requested by name are missing
};

// Counted is what there is to choose from.
struct Counted {
    const Recording& recording;
    const Profile& profile;
    const Symbolizer& symbolizer;
    const SampleFilter& filter;  // that the profile was counted with
    bool relative = false;       // percentages are of what the filter leaves: what it drops is not shown
    // Counts all samples of the events. It is called where a function that was asked for has no samples.
    std::function<Result<Profile>()> without_filter;
};

// all_sampled(choice, counted) returns true if functions of all requested names have samples.
bool all_sampled(const FunctionChoice& choice, const Counted& counted);

// choose_functions(...): a function requested by name is included even without samples if the recording itself knows
// it. Errors: missing, with suggestions, if no requested function is found.
Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Counted& counted);

}  // namespace perfdata::tool
