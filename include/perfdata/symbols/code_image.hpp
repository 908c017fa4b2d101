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

// CodeChange is a place in an image where this version differs from the previous one.
struct CodeChange {
    std::uint64_t offset = 0;              // from the start of the function
    Time time;                             // when the kernel patched it
    std::vector<std::byte> before, after;  // the bytes of the previous version and of this one, of equal number
};

// CodeGap is a part of an image whose bytes no source has.
struct CodeGap {
    std::uint64_t offset = 0;  // from the start of the function
    std::uint64_t size = 0;    // bytes

    bool operator==(const CodeGap&) const = default;
};

// RelocationBase is the address from which a relative relocation counts.
enum class RelocationBase : std::uint8_t { none, instruction, next_instruction };

// CodeRelocation is a field that the loader fills in: not filled in the file, filled in the code that ran.
struct CodeRelocation {
    std::uint64_t offset = 0;                    // of the field, from the start of the function
    std::string symbol;                          // as in the file; static functions have names, too
    std::int64_t addend = 0;                     // from the symbol, as the filled field will hold it
    RelocationBase base = RelocationBase::none;  // none: the field holds an absolute address
};

// CodeImage is the bytes of one version of a function, as it ran.
struct CodeImage {
    std::vector<std::byte> bytes;     // from the start of the function; shorter if the source ends before the function
    std::vector<CodeGap> gaps;        // where `bytes` has zeros for unknown bytes, ascending
    Address address;                  // of the first byte, for a disassembler: where it ran, or in the file
    std::string origin;               // source of the bytes: a path, or "the recording"
    std::vector<CodeChange> changes;  // from the previous version to this one, by time; empty for the first
    std::vector<CodeRelocation> relocations;  // fields that a module's file leaves to the loader, ascending
    std::vector<Error> problems;              // why the bytes are doubtful, such as a TEXT_POKE that found other bytes
};

}  // namespace perfdata
