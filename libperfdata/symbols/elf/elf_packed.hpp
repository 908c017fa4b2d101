// SPDX-License-Identifier: MIT
// Compressed sections of ELF files. System V ABI, "Section Compression", and GNU's older way.
#pragma once

#include <cstdint>
#include <span>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "recording/unpack.hpp"

namespace perfdata {

// PackedSection is what a section says of itself.
struct PackedSection {
    Packing packing = Packing::none;
    std::uint64_t head = 0;  // bytes before the packed ones
    std::uint64_t size = 0;  // in bytes, unpacked
};

// packed_section(file, section) reads the beginning of its bytes. Errors: io, truncated, unsupported.
Result<PackedSection> packed_section(const ElfFile& file, const ElfFile::Section& section);

// unpack(packed, packing, out) fills `out`. Error: malformed: these are not the packed bytes of just so many.
Result<void> unpack(Bytes packed, Packing packing, std::span<char> out);

}  // namespace perfdata
