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

// DwarfWidth is the size of values, as far as it depends on the unit only.
struct DwarfWidth {
    std::uint32_t bytes = 0, addresses = 0, offsets = 0;

    std::uint64_t size(std::uint64_t address_size, std::uint64_t offset_size) const {
        return bytes + addresses * address_size + offsets * offset_size;
    }
};

// DwarfAbbreviation says what entries with a code contain.
struct DwarfAbbreviation {
    std::uint32_t code = 0, tag = 0;
    bool children = false;         // it has child entries
    std::uint64_t attributes = 0;  // offset in the section of their names and forms
    bool placed = false;           // it has code: an address, or a list of ranges
    // Entries of one size need not be read value by value; nearly all are of such codes.
    bool fixed = true;             // all its values have that width
    DwarfWidth width, to_sibling;  // of all values, and of those before the reference to the sibling
    std::uint32_t sibling = 0;     // form of that reference; 0: there is none
    std::uint32_t count = 0;       // of attributes

    // Takes in an attribute. Call it for all of them, in their order.
    void add(std::uint32_t name, std::uint32_t form);
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

    // Returns how many bytes libdw takes at most for one of the tables checked so far.
    std::uint64_t memory() const { return memory_of(largest_); }

  private:
    // libdw keeps 16 bytes for each abbreviation in a table that it doubles, and 32 more; an abbreviation has 5 bytes.
    static constexpr std::uint64_t memory_of(std::uint64_t size) { return 16 * size; }
    Result<std::uint64_t> read(Bytes section, std::uint64_t offset, std::optional<std::uint32_t> code, Table* table);

    const DwarfSections* sections_;
    std::uint64_t left_;         // bytes of tables that may still be used
    std::uint64_t largest_ = 0;  // bytes that were read of one
    // By section and offset: size in bytes, and the table.
    std::map<std::pair<const std::byte*, std::uint64_t>, std::pair<std::uint64_t, std::unique_ptr<Table>>> tables_;
};

}  // namespace perfdata
