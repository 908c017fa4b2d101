// SPDX-License-Identifier: MIT
// What a bundle or a profile does not have, in words: "2 debug files".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/core/export.hpp"

namespace perfdata {

// left_out_text(number, what) returns "2 debug files", and "1 debug file". Words that this version does not know, as
// indexes of other versions have them, stay as they are.
PERFDATA_EXPORT std::string left_out_text(std::uint64_t number, std::string_view what);

// is_known_left_out(what) returns true for the words of this version. They name no file and no machine.
PERFDATA_EXPORT bool is_known_left_out(std::string_view what);

// is_loss_left_out(what) returns false for source files that were not there, or newer than the program built of them:
// lines have their numbers, and nothing was held back. Other versions' words are losses.
PERFDATA_EXPORT bool is_loss_left_out(std::string_view what);

// left_out_newer is the words for source files that are newer than the program built of them.
inline constexpr std::string_view left_out_newer =
    "source files that are newer than the program built of them: --source-dir DIR takes them";
// left_out_not_here is the words for source files that are not on this machine.
inline constexpr std::string_view left_out_not_here = "source files that are not here: --source-dir DIR takes them";

}  // namespace perfdata
