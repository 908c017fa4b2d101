// SPDX-License-Identifier: MIT
// An ELF file without the debug information that a bundle has no use for.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// DebugDetail is how much debug information goes into a bundle: nothing; what lines and inlined calls need; all of it.
// What unwinding needs (.eh_frame, .debug_frame) and symbols always stay.
enum class DebugDetail : std::uint8_t { none, lines, full };

// Returns true if a section of that name holds debug information that `detail` leaves out.
bool is_left_out(std::string_view section, DebugDetail detail);

// TrimmedObject is an object, and how much of it was left out.
struct TrimmedObject {
    std::shared_ptr<const Source> content;
    std::uint64_t left_out = 0;  // bytes of the sections that are zero now
};

// Returns the file with the bytes of these sections zero, and their headers saying so (SHT_NOBITS). Size and layout
// stay: all offsets in it mean what they did. It reads the file on demand. Errors: io.
Result<TrimmedObject> trimmed_object(std::shared_ptr<const Source> content, const ElfFile& file, DebugDetail detail);

}  // namespace perfdata
