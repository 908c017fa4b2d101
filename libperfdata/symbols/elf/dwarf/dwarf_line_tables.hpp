// SPDX-License-Identifier: MIT
// Bounds what libdw needs to read a line table, before it reads it. Needs libdw.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "perfdata/core/error.hpp"

#include "dwarf_sections.hpp"

namespace perfdata {

// DwarfLineTables checks the tables of .debug_line. libdw makes all rows of a table at once, and joins the name of each
// file with that of its directory, before a caller can see how many there are. Therefore:
// - A table has at most 16 MiB and 6 Mi rows.
// - All tables so far have at most 65536 rows plus 4 for each byte that they take in the file. Compilers write one or
// two
//   a byte; compressed tables may have far more.
// - Tables at different offsets share no bytes: together they are no longer than the section.
// - The names that libdw makes for all tables so far have at most 1 MiB plus 64 bytes for each byte of the tables. Many
//   files may name one long directory or, in DWARF 5, one long text.
// - If several units use one table, the first one gets the addresses that it covers.
// Rows at addresses without code are moved away: the linker removed their code.
class DwarfLineTables {
  public:
    // `sections` must outlive it. bytes_in_file: size of the section in the file, where it may be compressed.
    DwarfLineTables(DwarfSections& sections, std::uint64_t bytes_in_file);

    // Checks the table at an offset for a unit that was compiled in `directory`. Call it before libdw reads the table.
    // Errors: limit, malformed.
    Result<void> check(std::uint64_t offset, std::string_view directory, std::uint8_t address_size);
    // Remembers that libdw could not read a table. Otherwise it would try again for each unit.
    void refuse(std::uint64_t offset, Error error) { tables_[offset] = std::move(error); }
    // Returns true once for each table.
    bool claim(std::uint64_t offset) { return claimed_.insert(offset).second; }

  private:
    Result<void> look(std::uint64_t offset, std::string_view directory, std::uint8_t address_size);

    DwarfSections* sections_;
    std::map<std::uint64_t, std::optional<Error>> tables_;  // by offset: why it cannot be read
    std::set<std::uint64_t> claimed_;                       // by offset
    std::uint64_t sizes_ = 0, names_ = 0;                   // bytes of all checked tables
    std::uint64_t rows_left_;
};

}  // namespace perfdata
