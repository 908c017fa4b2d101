// SPDX-License-Identifier: MIT
// Unpacks compressed sections of ELF files: those with SHF_COMPRESSED (System V ABI, "Section Compression"), and GNU's
// older ones with the names ".z...".
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "recording/unpack.hpp"

namespace perfdata {

class LookOut;

// PackedSection is what a section says about its own packing. Nothing of it is checked.
struct PackedSection {
    Packing packing = Packing::none;
    std::uint64_t head = 0;  // bytes in front of the packed ones
    std::uint64_t size = 0;  // in bytes, unpacked
};

// Returns how many bytes packed sections of `size` bytes may unpack to. Debug information packs to a third,
// abbreviations and names to a tenth. What packs to a hundredth is there to fill memory.
constexpr std::uint64_t most_unpacked(std::uint64_t size) {
    constexpr std::uint64_t times = 16, some = std::uint64_t{4} << 20;
    return some + std::min(size, std::uint64_t{1} << 40) * times;
}

// Returns how a section is packed. Reads at most its first 24 bytes. Errors: io, truncated, unsupported (another kind
// of compression).
Result<PackedSection> packed_section(const ElfFile& file, const ElfFile::Section& section);

// Unpacks into `out`. Error: malformed, if the bytes are damaged or do not unpack to exactly out.size() bytes. Looks
// now and then whether to stop, and throws Stopped.
Result<void> unpack(Bytes packed, Packing packing, std::span<char> out, const LookOut& look);

}  // namespace perfdata
