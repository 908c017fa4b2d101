// SPDX-License-Identifier: MIT
// The bytes of code at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// CodeChange is a place in an image where this version differs from the one before.
struct CodeChange {
    std::uint64_t offset = 0;  // from the start of the function
    Time time;                 // when the kernel wrote it
    std::vector<std::byte> before, after;
};

// CodeGap is a part of an image of which no source has the bytes.
struct CodeGap {
    std::uint64_t offset = 0;  // from the start of the function
    std::uint64_t size = 0;

    bool operator==(const CodeGap&) const = default;
};

// RelocationBase is from where a filled in distance counts.
enum class RelocationBase : std::uint8_t { none, instruction, next_instruction };

// CodeRelocation is a place that a loader fills in: in the file, not in the code that ran.
struct CodeRelocation {
    std::uint64_t offset = 0;  // of the field, from the start of the function
    std::string symbol;        // as in the file; static functions have their names, too
    std::int64_t addend = 0;   // from the symbol, as the field will hold it
    RelocationBase base = RelocationBase::none;
};

struct CodeImage {
    std::vector<std::byte> bytes;     // from the start of the function; shorter than it where the source has no more
    std::vector<CodeGap> gaps;        // where `bytes` are zeros that stand for nothing, ascending
    Address address;                  // of its first byte for a disassembler: where it ran, or in the file
    std::string origin;               // what the bytes are from: a path, or "the recording"
    std::vector<CodeChange> changes;  // what made this version of the one before, by time; empty for the first
    std::vector<CodeRelocation> relocations;  // what is not filled in yet in a module's file, ascending
    std::vector<Error> problems;              // what makes the bytes doubtful: a poke that met other bytes than it says
};

}  // namespace perfdata
