// SPDX-License-Identifier: MIT
// Whether files are for this user alone.
#pragma once

#include <cstdint>

namespace perfdata {

// HandedOn says which files that a recording names are handed on to others than this user, as in a bundle.
enum class HandedOn : std::uint8_t {
    no,             // they are for this user alone
    if_everybodys,  // only what everybody may read
    if_fit,         // what fit_to_hand_on() takes
    // As if_everybodys, and nothing below the root of a process, nor of this machine's kernel: others may have written
    // the recording (see others_may_have_written()), and it may name any process.
    of_others,
};

}  // namespace perfdata
