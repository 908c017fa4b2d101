// SPDX-License-Identifier: MIT
// Which functions perfdata annotate lists.
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
    std::optional<Time> at;            // only versions of then
    bool versions = false;             // only functions with several versions, with all of these
};

struct ChosenFunctions {
    std::vector<FunctionHits> functions;     // most hits first
    std::vector<Unattributed> unattributed;  // samples that none of them shows
    std::vector<std::string> absent;         // why functions that were asked for by name are not among them
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

// choose_functions(...): a function that is asked for by its name is there even without a sample, if the recording
// itself tells of it. Errors: missing, with what there is, if none is there that was asked for.
Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Counted& counted);

}  // namespace perfdata::tool
