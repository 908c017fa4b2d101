// SPDX-License-Identifier: MIT
// Reads numbers of variable length (LEB128): DWARF 5, section 7.6.
#pragma once

#include <cstdint>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// Reads an unsigned number of at most ten bytes, which hold 64 bits. A longer one, which only padding can be, fails the
// cursor: instructions must not take time that their number does not show.
inline std::uint64_t unsigned_number(Cursor& in) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const auto byte = in.u8();
        if (!in.ok()) return 0;
        if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return value;
    }
    in.skip(UINT64_MAX);
    return 0;
}

// Reads a signed number in the same way.
inline std::int64_t signed_number(Cursor& in) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const auto byte = in.u8();
        if (!in.ok()) return 0;
        if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte >= 0x80) continue;
        if ((byte & 0x40) != 0 && shift + 7 < 64) value |= UINT64_MAX << (shift + 7);
        return static_cast<std::int64_t>(value);
    }
    in.skip(UINT64_MAX);
    return 0;
}

}  // namespace perfdata
