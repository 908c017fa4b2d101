// SPDX-License-Identifier: MIT
// Reads encoded addresses (DW_EH_PE_*): Linux Standard Base, chapter "DWARF Extensions".
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/cursor.hpp"

#include "symbols/unwind/cfi_number.hpp"

namespace perfdata {

namespace cfi_encoding {
inline constexpr std::uint8_t omitted = 0xff, indirect = 0x80, format_mask = 0x0f, base_mask = 0x70;
inline constexpr std::uint8_t absolute = 0, uleb = 1, udata2 = 2, udata4 = 3, udata8 = 4, address = 8, sleb = 9,
                              sdata2 = 0xa, sdata4 = 0xb, sdata8 = 0xc;
inline constexpr std::uint8_t pcrel = 0x10, textrel = 0x20, datarel = 0x30, funcrel = 0x40, aligned = 0x50;
}  // namespace cfi_encoding

// Reads an integer of the format in the low four bits of an encoding. Returns nothing if there is no such format.
inline std::optional<std::uint64_t> encoded_number(Cursor& in, std::uint8_t encoding, unsigned address_bytes) {
    const auto extended = [](auto value) { return static_cast<std::uint64_t>(std::int64_t{value}); };
    switch (encoding & cfi_encoding::format_mask) {
        case cfi_encoding::absolute: return address_bytes == 8 ? in.u64() : in.u32();
        case cfi_encoding::uleb: return unsigned_number(in);
        case cfi_encoding::sleb: return extended(signed_number(in));
        case cfi_encoding::udata2: return in.u16();
        case cfi_encoding::udata4: return in.u32();
        case cfi_encoding::udata8:
        case cfi_encoding::sdata8: return in.u64();
        case cfi_encoding::address:
            return address_bytes == 8 ? in.u64() : extended(static_cast<std::int32_t>(in.u32()));
        case cfi_encoding::sdata2: return extended(static_cast<std::int16_t>(in.u16()));
        case cfi_encoding::sdata4: return extended(static_cast<std::int32_t>(in.u32()));
        default: return {};
    }
}

}  // namespace perfdata
