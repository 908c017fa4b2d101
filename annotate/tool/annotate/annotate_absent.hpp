// SPDX-License-Identifier: MIT
// Explains why functions requested by name cannot be listed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct WhyAbsent {
    // text is a clause: the function only called sampled code, has samples of other events, or is in a file but has no
    // samples. Empty: no such function is known.
    std::string text;
    bool settled = false;  // the reason is certain: neither a typo nor a missing name
};

struct Absent {
    std::vector<WhyAbsent> why;  // by index of the wanted name
    // unnamed_callers says which callers lack names because build ids are missing: a wanted function may be one of
    // them.
    std::string unnamed_callers;
};

// NamesOf returns the indices of the wanted names that a function has.
using NamesOf = std::function<std::vector<std::size_t>(const Frame& function)>;

// why_absent(wanted, ..., alone) examines names without samples in the profile. For all names together it reads the
// call chains once more, and the samples of uncounted events once. Then its time grows with the distinct frames and
// chains, for each name that any function has. `alone`: nothing else is shown, so files need not be read for their
// problems.
Result<Absent> why_absent(const std::vector<std::string>& wanted, const NamesOf& names_of, const Recording& recording,
                          const Symbolizer& symbolizer, const Profile& profile, bool alone);

}  // namespace perfdata::tool
