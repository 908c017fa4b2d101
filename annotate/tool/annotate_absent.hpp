// SPDX-License-Identifier: MIT
// Why a function that was asked for by its name cannot be listed.
#pragma once

#include <string>

#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/code_book.hpp"

namespace perfdata::tool {

// why_absent(wanted, ...) is a clause: it called what samples fell into, it is in a file but has no samples, or names
// are missing; empty if nothing is known of such a function. It reads the call chains once more.
std::string why_absent(const std::string& wanted, const Recording& recording, const CodeBook& book,
                       const Profile& profile);

}  // namespace perfdata::tool
