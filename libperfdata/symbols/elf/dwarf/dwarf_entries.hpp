// SPDX-License-Identifier: MIT
// Entries of debug information by their bytes: where each ends, and where the next one is. Needs libdw.
#pragma once

#include <array>
#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/error.hpp"

#include "dwarf_abbreviations.hpp"
#include "dwarf_sections.hpp"

namespace perfdata {

// DwarfEntry is where an entry lies in its section.
struct DwarfEntry {
    std::uint64_t offset = 0, end = 0;  // end: of its attributes
    std::uint64_t sibling = 0;          // where what is in it ends, behind `end`; 0: it does not say
    std::uint32_t tag = 0;              // 0: none, this ends the entries that are in another
    bool children = false;
};

// DwarfUnitLayout is how entries of a unit are read: section 7.5 of DWARF 5.
struct DwarfUnitLayout {
    Bytes section, abbreviations;
    std::uint64_t begin = 0, first = 0, end = 0;  // in the section: of the header, of the entries, of the unit
    std::uint64_t table = 0;                      // in `abbreviations`
    std::uint16_t version = 0;
    std::uint8_t address_size = 0, offset_size = 0;
    AnyOrder order{std::endian::native};
    const DwarfAbbreviations::Table* codes = nullptr;

    // read(offset, entry) is false where there is no entry that can be read.
    bool read(std::uint64_t offset, DwarfEntry& entry) const;
    // skip(in, form) passes over a value. False: the form is not known, or the value goes beyond the unit.
    bool skip(Cursor& in, std::uint32_t form) const;

  private:
    const DwarfAbbreviation* find(std::uint32_t code) const;
    std::optional<std::uint64_t> reference(Cursor& in, std::uint32_t form) const;
};

// DwarfEntries knows the units of a file, and those of its alternate. libdw looks through an entry for each attribute
// that it is asked for, and through all that is in an entry to find what is behind it. Entries that begin in each other
// would make that quadratic: so entries are found here, and
// - a walk goes forward only;
// - what refers to an entry costs its bytes: there are 256 KiB, and 32 for each byte of debug information.
class DwarfEntries {
  public:
    // `sections` must outlive it.
    explicit DwarfEntries(const DwarfSections& sections);

    // check_units() is before libdw looks at the first entries of all units. Errors: limit.
    Result<void> check_units();
    // unreadable() is why the first entry of a unit cannot be read: libdw passes over the unit.
    const std::optional<Error>& unreadable() const { return unreadable_; }
    // layout_of(entry) is that of its unit, whose codes are not known yet; null if there is none. It lives as long as
    // this.
    const DwarfUnitLayout* layout_of(const Dwarf_Die& entry);
    // unit_of(entry) is before libdw looks at an entry that is not known to be of a unit that was checked. It does not
    // look at the entry. Errors: limit, malformed, truncated.
    Result<const DwarfUnitLayout*> unit_of(const Dwarf_Die& entry);
    // refer(entry) is before libdw looks at an entry that another refers to. Errors: the same.
    Result<void> refer(const Dwarf_Die& entry);
    // offset_of(entry) is in its section.
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
        bool of_types = false;    // .debug_types: its units have other headers
        std::vector<Unit> units;  // by place
    };

    Result<void> check_units_of(Section& section);
    Unit* find(const Dwarf_Die& entry);

    const DwarfSections* sections_;
    DwarfAbbreviations abbreviations_;
    std::array<Section, 3> all_;
    std::uint64_t left_;    // bytes of entries that are referred to
    Unit* last_ = nullptr;  // which may be read
    std::optional<Error> unreadable_;
};

// DwarfWalk visits the entries of a tree without recursion, each before those in it. It goes forward only: no byte is
// read twice. `left` is how many entries may be passed still, of all walks through a unit: functions are in each other.
class DwarfWalk {
  public:
    DwarfWalk(const DwarfUnitLayout& unit, std::uint64_t root, std::uint64_t& left);

    enum class Next : std::uint8_t { entry, end, damaged, too_many };

    // next(inside) goes to the first entry inside the current one if `inside`, else past it. The first is the first one
    // inside the root.
    Next next(bool inside);

    const DwarfEntry& current() const { return current_; }
    // depth() is 2 for entries in the root.
    std::size_t depth() const { return depth_; }

  private:
    const DwarfUnitLayout* unit_;
    DwarfEntry current_;
    std::size_t depth_ = 1;
    bool damaged_ = false;
    std::uint64_t* left_;
};

}  // namespace perfdata
