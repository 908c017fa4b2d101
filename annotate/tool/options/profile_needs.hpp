// SPDX-License-Identifier: MIT
// What commands and options need that a profile file does not have. Of recordings all of this says nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/recording/recording.hpp"

#include "recording/stored/facts.hpp"

namespace perfdata::tool {

struct Common;

// no_profile(recording, what, lacks) returns why something cannot be done with a profile file, which has no such thing:
// no_profile(recording, "perfdata dump", "records"). Empty: it is a recording. Complain, and exit with `usage`.
std::string no_profile(const Recording& recording, std::string_view what, std::string_view lacks);

// refuses_profile(...) is the same, and has complained if it returns true.
bool refuses_profile(const Recording& recording, std::string_view what, std::string_view lacks);

// ProfileNeeds collects what the options of a command need, and keeps the first thing that a profile lacks.
class ProfileNeeds {
  public:
    ProfileNeeds(const Common& common, const Recording& recording) : common_(common), recording_(recording) {}

    // The option was given, and needs what no profile has: "the times of samples".
    ProfileNeeds& never(bool given, std::string_view option, std::string_view lacks);
    // The option was given, and needs that the profile tells this apart.
    ProfileNeeds& kept(bool given, std::string_view option, stored::Dimension dimension);

    // Returns true if nothing is lacking; else it has complained: exit with `usage`.
    bool met() const;
    const std::string& problem() const { return problem_; }  // empty: nothing is lacking

  private:
    const Common& common_;
    const Recording& recording_;
    std::string problem_;
};

// keeps(recording, dimension) returns false for a profile that does not tell this apart.
bool keeps(const Recording& recording, stored::Dimension dimension);

// too_deep_text(recording, max_stack) says that call chains of a profile are cut to fewer frames than --max-stack asks
// for; empty if not.
std::string too_deep_text(const Recording& recording, std::uint32_t max_stack);

}  // namespace perfdata::tool
