// SPDX-License-Identifier: MIT
// Selects the sections of a file that debug information needs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "symbols/elf/elf_packed.hpp"

namespace perfdata {

// Section types of the System V ABI.
enum ImageSectionType : std::uint32_t {
    content_section = 1,
    symbol_section = 2,
    string_section = 3,
    symbol_index_section = 18  // section numbers that do not fit into symbols
};

// ImageSection is a section of a DebugImage.
struct ImageSection {
    std::string_view name{};
    const ElfFile::Section* from = nullptr;  // has its bytes; null: zeros, or none
    PackedSection packed{};
    std::uint32_t type = 0, link = 0, info = 0;
    std::uint64_t flags = 0, size = 0, entry_size = 0;
    std::uint64_t offset = 0;  // offset in the image

    // Returns true for large sections that are needed in part: entries, texts and line tables.
    bool read_in_parts() const;
    // Returns true for sections of texts that end with NUL.
    bool has_texts() const;
    bool has_lines() const;
    bool has_entries() const;
};

// Returns the section headers of the image, the first one empty: those of DebugImage's comment, without places
// in it. Errors: see DebugImage::read().
Result<std::vector<ImageSection>> choose_sections(const ElfFile& file, const Limits& limits);

}  // namespace perfdata
