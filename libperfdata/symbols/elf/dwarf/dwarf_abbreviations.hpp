// SPDX-License-Identifier: MIT
// What libdw takes to read abbreviations, before it reads them. Needs libdw.
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

// DwarfAbbreviation says what entries of a code have.
struct DwarfAbbreviation {
    std::uint32_t code = 0, tag = 0;
    bool children = false;         // whether entries are in it
    std::uint64_t attributes = 0;  // where their names and forms begin, in the section
};

// An entry of debug information has a code, and a table of abbreviations says what attributes entries of that code
// have. libdw reads such a table for each unit anew, up to the code that it looks for, and keeps it; for each attribute
// that is asked for it goes through all those of the entry. So:
// - the tables of all units that are looked at have at most 256 KiB and 16 bytes for each byte of debug information:
//   any number of units may share one;
// - an abbreviation has at most 128 attributes: those that take no bytes cost nothing in the file.
class DwarfAbbreviations {
  public:
    using Table = std::vector<DwarfAbbreviation>;  // by code; of several with a code the first is first

    // `sections` must outlive it.
    explicit DwarfAbbreviations(const DwarfSections& sections);

    // check(section, offset, code) goes through a table up to that code, before libdw does. The result is where the
    // attributes of the code begin, 0 if the table lacks it. Errors: limit, malformed, truncated.
    Result<std::uint64_t> check(Bytes section, std::uint64_t offset, std::uint32_t code);
    // table(section, offset) is a whole table, read once, and checked for one more unit. It lives as long as this.
    // Errors: the same.
    Result<const Table*> table(Bytes section, std::uint64_t offset);

  private:
    Result<std::uint64_t> read(Bytes section, std::uint64_t offset, std::optional<std::uint32_t> code, Table* table);

    const DwarfSections* sections_;
    std::uint64_t left_;  // bytes of tables
    // By section and offset: how many bytes it has, and what it is.
    std::map<std::pair<const std::byte*, std::uint64_t>, std::pair<std::uint64_t, std::unique_ptr<Table>>> tables_;
};

}  // namespace perfdata
