// SPDX-License-Identifier: MIT
// The sections from which libdw reads debug information. Needs libdw.
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

#include "debug_image.hpp"

namespace perfdata {

// Returns the error for debug information that takes too much work or memory.
inline std::unexpected<Error> dwarf_limit(const std::string& what) {
    return fail(ErrorCode::limit, Error::no_offset, "DWARF", what);
}

struct DwarfRange {
    std::uint64_t begin = 0, end = 0;

    bool overlaps(const DwarfRange& other) const { return begin < other.end && other.begin < end; }
};

// DwarfSections are the sections of one file, and the texts of its alternate (the file that dwz moved texts to).
class DwarfSections {
  public:
    // File is a file that libdw opened, and its image.
    struct File {
        Dwarf* dwarf = nullptr;
        DebugImage* image = nullptr;
    };

    // The files must outlive this, and only the functions hide_...() change them. alternate: nulls if there is none.
    // first_code: the lowest address with code; 0: any.
    DwarfSections(File file, File alternate, std::uint64_t first_code);

    // Reads a part of a section below. Call it before the part is used, here or in libdw. The other sections are there.
    void load(Bytes part) const;
    // Returns why a part could not be read.
    std::optional<Error> failure() const;

    // Returns false for functions that a linker removed: they begin at 0 (ld, gold), or at -1 or -2 (lld). Real code
    // may lie where they would end.
    bool has_code(std::uint64_t address) const;
    // Moves rows to an address without code. `at`: offset in .debug_line of their first address, of `size` bytes (4 or
    // 8). Call it before libdw reads the table, for it sorts the rows.
    void hide_address(std::uint64_t at, std::uint8_t size);

    // Hides from libdw that a unit belongs to a .dwo file. `at`: offset in .debug_abbrev of the attribute with the
    // number of that file. Call it before libdw reads the unit.
    void hide_split(std::uint64_t at);

    // To load().
    Bytes lines() const { return lines_; }
    Bytes strings() const { return strings_; }
    Bytes line_strings() const { return line_strings_; }
    Bytes entries() const { return entries_; }
    Bytes types() const { return types_; }
    // These are there.
    Bytes abbreviations() const { return abbreviations_; }
    Bytes ranges() const { return ranges_; }
    Bytes range_lists() const { return range_lists_; }  // DWARF 5
    // Returns the file itself, not its alternate.
    Dwarf* dwarf() const { return dwarf_; }
    AnyOrder order() const { return order_; }
    // Returns the size of the file's own texts and line tables in bytes.
    std::uint64_t size() const;
    // Returns the size of the file's own entries and abbreviations.
    std::uint64_t entry_bytes() const { return entry_bytes_; }
    // Returns how many units the file may have: see DwarfEntries.
    std::uint64_t most_units() const;
    // Returns the size of entries and lists of ranges.
    std::uint64_t range_bytes() const { return entries_.size() + ranges_.size() + range_lists_.size(); }

    // Returns a text that libdw found in a section, up to its NUL. Nothing if it is outside of the sections, or without
    // NUL: libdw does not check that.
    std::optional<std::string_view> text(const char* found) const;
    // Returns the text at the beginning of `rest`, up to its NUL, and loads it. Nothing if its first `most` bytes have
    // none.
    std::optional<std::string_view> text_in(std::string_view rest, std::uint64_t most) const;

  private:
    Dwarf* dwarf_;
    DebugImage *image_, *alternate_image_;
    std::span<std::byte> lines_, abbreviations_;
    Bytes strings_, line_strings_, entries_, types_, ranges_, range_lists_;
    std::uint64_t entry_bytes_ = 0;
    std::vector<Bytes> texts_;
    AnyOrder order_{std::endian::native};
    std::uint64_t first_code_;
};

}  // namespace perfdata
