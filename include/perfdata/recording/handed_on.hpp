// SPDX-License-Identifier: MIT
// Whether files are for this user alone.
#pragma once

#include <cstdint>

namespace perfdata {

// HandedOn says whether files that a recording names are handed on to others than this user, as in a bundle. Of a
// recording that others may have written (see others_may_have_written()) only what everybody may read is: it may name
// any process and any file. Else what fit_to_hand_on() takes.
enum class HandedOn : std::uint8_t { no, if_everybodys, if_fit };

}  // namespace perfdata
