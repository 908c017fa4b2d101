// SPDX-License-Identifier: MIT
// Bounds what libdw needs to read abbreviations, before it reads them. Needs libdw.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"

#include "dwarf_sections.hpp"

namespace perfdata {

// DwarfAbbreviation says what entries with a code contain.
struct DwarfAbbreviation {
    std::uint32_t code = 0, tag = 0;
    bool children = false;         // it has child entries
    std::uint64_t attributes = 0;  // offset in the section of their names and forms
};

// An entry of debug information has a code. A table of abbreviations says which attributes entries with that code have.
// libdw reads such a table for each unit, up to the code that it needs, and keeps it. For each attribute it searches
// all attributes of the entry. Therefore:
// - The tables of all used units have at most 256 KiB plus 16 bytes for each byte of debug information. Any number of
//   units may share a table.
// - An abbreviation has at most 128 attributes. Some forms take no bytes, so a file gets them for nothing.
class DwarfAbbreviations {
  public:
    using Table = std::vector<DwarfAbbreviation>;  // by code; equal codes in file order

    // `sections` must outlive it.
    explicit DwarfAbbreviations(const DwarfSections& sections);

    // Reads a table up to a code. Call it before libdw does. Returns the offset of the code's attributes; 0 if the
    // table lacks the code. Errors: limit, malformed, truncated.
    Result<std::uint64_t> check(Bytes section, std::uint64_t offset, std::uint32_t code);
    // Returns a whole table, read once, and counts it for one more unit. It lives as long as this. Errors: the same.
    Result<const Table*> table(Bytes section, std::uint64_t offset);

  private:
    Result<std::uint64_t> read(Bytes section, std::uint64_t offset, std::optional<std::uint32_t> code, Table* table);

    const DwarfSections* sections_;
    std::uint64_t left_;  // bytes of tables that may still be used
    // By section and offset: size in bytes, and the table.
    std::map<std::pair<const std::byte*, std::uint64_t>, std::pair<std::uint64_t, std::unique_ptr<Table>>> tables_;
};

}  // namespace perfdata
