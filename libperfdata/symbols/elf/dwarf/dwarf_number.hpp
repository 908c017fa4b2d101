// SPDX-License-Identifier: MIT
// Reads numbers of variable length: DWARF 5, section 7.6.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// Reads an unsigned number. Like libdw it reads at most ten bytes. Signed numbers end at the same byte.
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

// Reads a code, a name or a form, of which libdw keeps 32 bits. Returns nothing if it has more bits: libdw would then
// misread what follows.
inline std::optional<std::uint32_t> dwarf_word(Cursor& in) {
    const auto value = dwarf_number(in);
    if (value > UINT32_MAX) return {};
    return static_cast<std::uint32_t>(value);
}

}  // namespace perfdata
