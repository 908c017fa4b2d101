// SPDX-License-Identifier: MIT
// Numbers of variable length. DWARF 5, section 7.6.
#pragma once

#include <cstdint>
#include <optional>

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

// dwarf_word(in) is a code, a name or a form: libdw keeps 32 bits of those. Nothing: it has more, and libdw would read
// on out of step.
inline std::optional<std::uint32_t> dwarf_word(Cursor& in) {
    const auto value = dwarf_number(in);
    if (value > UINT32_MAX) return {};
    return static_cast<std::uint32_t>(value);
}

}  // namespace perfdata
