// SPDX-License-Identifier: MIT
// What libdw takes to read a line table, before it reads it. Needs libdw.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "perfdata/core/error.hpp"

#include "dwarf_sections.hpp"

namespace perfdata {

// DwarfLineTables are those of the section .debug_line. libdw makes rows of a whole table, and joins each name of a
// file with that of its directory, before anybody can see how many there are. So:
// - a table has at most 16 MiB, and 6 Mi rows;
// - all tables so far have at most 65536 rows and 4 for each byte that they take in the file: where that is compressed
// it
//   may hold far more than compilers write, which is one or two;
// - tables that begin at different places share no bytes: all together are no longer than the section;
// - the names that libdw reads and makes of all tables so far have at most 1 MiB and 64 bytes for each of theirs. Many
//   files may name one long directory, and in DWARF 5 one long text;
// - of several units that have one table the first takes the addresses that it covers.
// Rows that begin where there is no code are moved away: the linker took out what they are of.
class DwarfLineTables {
  public:
    // `sections` must outlive it. bytes_in_file: of the section, which may be compressed there.
    DwarfLineTables(DwarfSections& sections, std::uint64_t bytes_in_file);

    // check(offset, directory, address_size) is before libdw reads the table there for a unit that was compiled in that
    // directory. Errors: limit, malformed.
    Result<void> check(std::uint64_t offset, std::string_view directory, std::uint8_t address_size);
    // refuse(offset, error) of a table that libdw could not read: it would try again for each unit.
    void refuse(std::uint64_t offset, Error error) { tables_[offset] = std::move(error); }
    // claim(offset) is true once for each table.
    bool claim(std::uint64_t offset) { return claimed_.insert(offset).second; }

  private:
    Result<void> look(std::uint64_t offset, std::string_view directory, std::uint8_t address_size);

    DwarfSections* sections_;
    std::map<std::uint64_t, std::optional<Error>> tables_;  // by offset: why it is not read
    std::set<std::uint64_t> claimed_;                       // by offset
    std::uint64_t sizes_ = 0, names_ = 0;                   // bytes, of all tables that were looked at
    std::uint64_t rows_left_;
};

}  // namespace perfdata
