// SPDX-License-Identifier: MIT
// Tells return addresses from other numbers: a call ends right before them.
#pragma once

#include <cstddef>

#include "perfdata/core/types.hpp"

namespace perfdata {

// The longest call of x86 that is recognised, in bytes, without its prefixes.
inline constexpr std::size_t longest_call = 7;

// Returns true if the code ends with a call of x86: e8 with a distance, or ff /2 with a register or memory. Prefixes,
// as REX, lie before these bytes. Far calls are not looked for. Other instructions may end with such bytes, too.
bool ends_with_call(Bytes code);

}  // namespace perfdata
