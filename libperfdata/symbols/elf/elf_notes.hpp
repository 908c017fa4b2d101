// SPDX-License-Identifier: MIT
// Finds the build-id among ELF notes: those of a section or segment of an ELF file, or of /sys/kernel/notes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// Returns the descriptor of the first note "GNU" of type 3 (NT_GNU_BUILD_ID) with 1 to 64 bytes; empty if there is
// none.
inline std::vector<std::byte> build_id_of_notes(Bytes notes, AnyOrder order) {
    constexpr std::uint32_t build_id_note = 3;
    const auto padding = [](std::uint32_t size) { return (4 - size % 4) % 4; };
    Cursor in(notes, order, {.where = "ELF notes"});
    while (in.remaining() >= 12) {
        const auto name_size = in.u32(), size = in.u32(), type = in.u32();
        const auto name = as_text(in.bytes(name_size));
        in.skip(padding(name_size));
        const auto descriptor = in.bytes(size);
        if (!in.ok()) break;
        if (type == build_id_note && name == std::string_view("GNU\0", 4) && size != 0 && size <= 64) {
            return {descriptor.begin(), descriptor.end()};
        }
        in.skip(std::min<std::size_t>(padding(size), in.remaining()));
    }
    return {};
}

}  // namespace perfdata
