// SPDX-License-Identifier: MIT
// Numbers of variable length. DWARF 5, section 7.6.
#pragma once

#include <cstdint>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// dwarf_number(in) is an unsigned one. libdw reads at most ten bytes of one; whether it is signed does not matter for
// where it ends.
inline std::uint64_t dwarf_number(Cursor& in) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const auto byte = in.u8();
        if (!in.ok()) return UINT64_MAX;
        if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return value;
    }
    return UINT64_MAX;
}

}  // namespace perfdata
