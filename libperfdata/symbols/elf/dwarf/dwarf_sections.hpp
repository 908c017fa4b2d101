// SPDX-License-Identifier: MIT
// The sections that libdw reads debug information from. Needs libdw.
#pragma once

#include <array>
#include <elfutils/libdw.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// dwarf_limit(what) is the error where debug information takes too much.
inline std::unexpected<Error> dwarf_limit(const std::string& what) {
    return fail(ErrorCode::limit, Error::no_offset, "DWARF", what);
}

struct DwarfRange {
    std::uint64_t begin = 0, end = 0;

    bool overlaps(const DwarfRange& other) const { return begin < other.end && other.begin < end; }
};

// DwarfSections are those of one file, and the texts of the file that dwz moved some of them to.
class DwarfSections {
  public:
    // The files stay what they are but for hide_address(), and outlive this. alternate: null if there is none.
    // first_code: the first address that the file has code at; 0: any.
    DwarfSections(Dwarf* dwarf, Dwarf* alternate, std::uint64_t first_code);

    // has_code(address) is false for what linkers leave of functions that they took out: these begin at 0 (ld, gold),
    // or at -1 or -2 (lld), and real code may lie where they would end.
    bool has_code(std::uint64_t address) const;
    // hide_address(at, size) moves rows to where no code is: `at` is where their first address is in .debug_line, of
    // `size` bytes, 4 or 8. It comes before libdw reads the table: afterwards rows are sorted.
    void hide_address(std::uint64_t at, std::uint8_t size);

    Bytes lines() const { return lines_; }
    Bytes strings() const { return strings_; }
    Bytes line_strings() const { return line_strings_; }
    Bytes entries() const { return entries_; }
    Bytes types() const { return types_; }
    Bytes abbreviations() const { return abbreviations_; }
    Bytes ranges() const { return ranges_; }
    Bytes range_lists() const { return range_lists_; }  // of version 5
    Bytes alternate_entries() const { return alternate_entries_; }
    Bytes alternate_abbreviations() const { return alternate_abbreviations_; }
    // dwarf() is the file itself, not its alternate.
    Dwarf* dwarf() const { return dwarf_; }
    AnyOrder order() const { return order_; }
    // size() is that of texts and line tables, in bytes.
    std::uint64_t size() const;
    // entry_bytes() is that of entries and their abbreviations, in both files.
    std::uint64_t entry_bytes() const { return entry_bytes_; }
    // range_bytes() is that of entries and their lists of ranges.
    std::uint64_t range_bytes() const { return entries_.size() + ranges_.size() + range_lists_.size(); }

    // text(found) is a text that libdw found in one of them, up to its NUL. Nothing: it lies elsewhere, or no NUL ends
    // it before its section ends. libdw does not look for one.
    std::optional<std::string_view> text(const char* found) const;

  private:
    Dwarf* dwarf_;
    std::span<std::byte> lines_;
    Bytes strings_, line_strings_, entries_, types_, abbreviations_, ranges_, range_lists_;
    Bytes alternate_entries_, alternate_abbreviations_;
    std::uint64_t entry_bytes_ = 0;
    std::vector<Bytes> texts_;
    AnyOrder order_{std::endian::native};
    std::uint64_t first_code_;
};

}  // namespace perfdata
