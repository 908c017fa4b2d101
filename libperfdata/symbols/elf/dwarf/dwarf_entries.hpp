// SPDX-License-Identifier: MIT
// Finds entries of debug information: where each ends and where the next one begins. Needs libdw.
#pragma once

#include <array>
#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/error.hpp"

#include "dwarf_abbreviations.hpp"
#include "dwarf_sections.hpp"
#include "recording/look_out.hpp"

namespace perfdata {

// DwarfEntry is the place of an entry in its section.
struct DwarfEntry {
    std::uint64_t offset = 0, end = 0;  // end: of its attributes
    std::uint64_t sibling = 0;          // end of its children, above `end`; 0: not recorded
    std::uint32_t tag = 0;              // 0: ends the children of an entry
    std::uint32_t attributes = 0;       // how many; some take no bytes
    bool children = false;
    bool placed = false;  // it has an attribute that says where its code is
};

// DwarfUnitLayout says how to read the entries of a unit: DWARF 5, section 7.5.
struct DwarfUnitLayout {
    Bytes section, abbreviations;
    std::uint64_t begin = 0, first = 0, end = 0;  // offsets in the section: header, first entry, end of the unit
    std::uint64_t table = 0;                      // offset in the abbreviations
    std::uint16_t version = 0;
    std::uint8_t address_size = 0, offset_size = 0;
    AnyOrder order{std::endian::native};
    const DwarfAbbreviations::Table* codes = nullptr;

    // Returns false if no entry can be read there.
    bool read(std::uint64_t offset, DwarfEntry& entry) const;
    // Skips a value. Returns false if the form is unknown, or the value goes beyond the unit.
    bool skip(Cursor& in, std::uint32_t form) const;

  private:
    const DwarfAbbreviation* find(std::uint32_t code) const;
    std::optional<std::uint64_t> reference(Cursor& in, std::uint32_t form) const;
};

// DwarfEntries knows the units of a file, and whom to ask for those of its alternate:
//
//     .debug_info    | unit: header | entry (code 3) | child | child | 0 | entry | 0 | unit ...
//     .debug_abbrev                   ^ code 3: subprogram, children, name:strp, low_pc:addr ...
//     .debug_line                     ^ the unit's first entry names its line table
//
// libdw searches an entry for each attribute, and all children of an entry to find what follows it. In a hostile file
// entries overlap, which makes that quadratic. Therefore entries are found here:
// - A walk goes forward only.
// - A reference to an entry costs the bytes of that entry, and two for each attribute, as libdw searches all of them
//   and some take no bytes. All are limited to 256 KiB plus 32 for each byte of debug information.
// - A file has at most 65536 units plus one for each 64 bytes that its entries take in the file, and at most 2^20.
//   libdw makes a table of 1 KiB for each unit, and a hostile unit has 11 bytes. A browser has 30,000 units, a kernel
//   4,000; files with a unit for each type have more, of hundreds of bytes.
// It loads what it reads: of each unit the header and the first entry, the others when unit_of() is asked.
class DwarfEntries {
  public:
    // `sections` and `alternate` must outlive it. alternate: null if there is none. What is referred to in it counts
    // for the file that refers.
    explicit DwarfEntries(DwarfSections& sections, DwarfEntries* alternate = nullptr);

    // Counts the units of the file and checks their first entries. Call it before libdw reads them. Errors: limit.
    Result<void> check_units() {
        LookOut nobody;
        return check_units(nobody);
    }
    // Throws Stopped.
    Result<void> check_units(LookOut& look);
    // Returns why the first entry of a unit cannot be read. libdw skips such a unit.
    const std::optional<Error>& unreadable() const { return unreadable_; }
    const DwarfAbbreviations& abbreviations() const { return abbreviations_; }
    // Returns the layout of the entry's unit, without its codes; null if there is none. It lives as long as this.
    const DwarfUnitLayout* layout_of(const Dwarf_Die& entry);
    // Checks the unit of an entry without reading the entry. Call it before libdw reads an entry of an unchecked unit.
    // Errors: limit, malformed, truncated.
    Result<const DwarfUnitLayout*> unit_of(const Dwarf_Die& entry);
    // Counts a reference to an entry. Call it before libdw reads the entry. Errors: the same.
    Result<void> refer(const Dwarf_Die& entry);
    // Returns a number that no other entry of the file and of its alternate has.
    std::uint64_t number_of(const Dwarf_Die& entry) const;
    // Returns the entry's offset in its section.
    static std::uint64_t offset_of(const Dwarf_Die& entry, const DwarfUnitLayout& unit) {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(entry.addr) - unit.section.data());
    }

  private:
    struct Unit {
        DwarfUnitLayout layout;
        bool checked = false;
        std::optional<Error> damage;  // why its entries are not read
    };
    struct Section {
        Bytes bytes, abbreviations;
        bool of_types = false;    // .debug_types, with other unit headers
        std::vector<Unit> units;  // sorted by offset
    };

    Result<void> check_units_of(Section& section, LookOut& look);
    Result<void> check_first_entry(const DwarfUnitLayout& unit, std::uint64_t attributes, std::uint64_t values);
    void hide_split(const DwarfUnitLayout& unit, std::uint64_t attributes);
    Unit* find(const Dwarf_Die& entry);
    // Returns the number of the section that has the entry, and the offset there.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> place_of(const Dwarf_Die& entry) const;

    DwarfSections* sections_;
    DwarfEntries* alternate_;
    DwarfAbbreviations abbreviations_;
    std::array<Section, 2> all_;
    std::uint64_t left_;        // bytes that references may still cost
    std::uint64_t units_left_;  // that the file may still have
    Unit* last_ = nullptr;      // the last one found readable
    std::optional<Error> unreadable_;
};

// DwarfWalk visits the entries of a tree without recursion, parents first. It goes forward only and reads no byte
// twice. `left`: how many entries all walks through a unit may still visit; four attributes count as one more, since
// some take no bytes. Functions contain functions, so walks overlap.
class DwarfWalk {
  public:
    DwarfWalk(const DwarfUnitLayout& unit, std::uint64_t root, std::uint64_t& left);

    enum class Next : std::uint8_t { entry, end, damaged, too_many };

    // Goes to the first child of the current entry if `inside`, else past the entry. The first call goes to the first
    // child of the root.
    Next next(bool inside);

    const DwarfEntry& current() const { return current_; }
    // Returns the depth: 2 for children of the root.
    std::size_t depth() const { return depth_; }

  private:
    const DwarfUnitLayout* unit_;
    DwarfEntry current_;
    std::size_t depth_ = 1;
    bool damaged_ = false;
    std::uint64_t* left_;
};

}  // namespace perfdata
