// SPDX-License-Identifier: MIT
// What perfdata info says of a profile file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"

#include "format/json_writer.hpp"

namespace perfdata::tool {

// Returns the completeness of the recordings in a profile, when it was made: in it what the profile lacks of them, too.
Completeness profile_completeness(const Recording& profile);

// Returns lines of text, each with its name; the name is empty for lines that go on. Of recordings some, or all.
std::vector<std::pair<std::string, std::string>> profile_lines(const Recording& profile, bool all);

// Writes the member "profile".
void write_profile_facts(JsonWriter& json, const Recording& profile);

}  // namespace perfdata::tool
