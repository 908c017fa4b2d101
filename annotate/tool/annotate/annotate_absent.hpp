// SPDX-License-Identifier: MIT
// Why functions that were asked for by their names cannot be listed.
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
    // text is a clause: it called what samples fell into, it has samples of other events, or it is in a file but has no
    // samples. Empty: nothing is known of such a function.
    std::string text;
    bool settled = false;  // no other name was meant, and no name is missing
};

struct Absent {
    std::vector<WhyAbsent> why;  // by wanted name
    // unnamed_callers says which callers have no names for want of build ids: the wanted ones may be among them.
    std::string unnamed_callers;
};

// NamesOf is which of the wanted names a function has, by index.
using NamesOf = std::function<std::vector<std::size_t>(const Frame& function)>;

// why_absent(wanted, ...) is for functions without samples in the profile. However many there are, it reads the call
// chains once more, and once the samples of events that the profile did not count. Its time is that of what is distinct
// in them for each name that any function has.
Result<Absent> why_absent(const std::vector<std::string>& wanted, const NamesOf& names_of, const Recording& recording,
                          const Symbolizer& symbolizer, const Profile& profile);

}  // namespace perfdata::tool
