// SPDX-License-Identifier: MIT
// What libdw takes to read abbreviations, before it reads them. Needs libdw.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>

#include "perfdata/core/error.hpp"

#include "dwarf_sections.hpp"

namespace perfdata {

// An entry of debug information has a code, and a table of abbreviations says what attributes entries of that code
// have. libdw reads such a table for each unit anew, up to the code that it looks for, and keeps it; for each attribute
// that is asked for it goes through all those of the entry. So:
// - the tables of all units that are looked at have at most 256 KiB and 16 bytes for each byte of debug information:
//   any number of units may share one;
// - an abbreviation has at most 128 attributes: those that take no bytes cost nothing in the file.
class DwarfAbbreviations {
  public:
    // `sections` must outlive it.
    explicit DwarfAbbreviations(const DwarfSections& sections);

    // check_units() is before libdw looks at the first entries of all units. Errors: limit.
    Result<void> check_units();
    // check(entry) is before libdw looks at an entry that is not known to be of a unit that was checked. It does not
    // look at the entry. Errors: limit, malformed.
    Result<void> check(const Dwarf_Die& entry);

  private:
    Result<void> check_units_of(Bytes units);
    Result<void> look(Dwarf_CU* unit);
    // read(table, offset, code) goes through a table to that code, or to its end.
    Result<void> read(Bytes table, std::uint64_t offset, std::optional<std::uint64_t> code);

    const DwarfSections* sections_;
    std::uint64_t left_;                               // bytes of tables
    Dwarf_CU* last_ = nullptr;                         // which may be read
    std::map<Dwarf_CU*, std::optional<Error>> units_;  // that were checked: why its entries are not read
};

}  // namespace perfdata
