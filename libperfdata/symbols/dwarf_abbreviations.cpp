// SPDX-License-Identifier: MIT
#include "dwarf_abbreviations.hpp"

#include <algorithm>
#include <dwarf.h>
#include <string>

#include "perfdata/core/cursor.hpp"

#include "dwarf_number.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t some_tables = std::uint64_t{1} << 18, tables_a_byte = 16, most_attributes = 128;

}  // namespace

DwarfAbbreviations::DwarfAbbreviations(const DwarfSections& sections)
    : sections_(&sections), left_(some_tables + tables_a_byte * sections.entry_bytes()) {}

Result<void> DwarfAbbreviations::check_units() {
    for (const auto units : {sections_->entries(), sections_->types()}) {
        if (auto right = check_units_of(units); !right) return right;
    }
    return {};
}

// Headers as section 7.5.1 of DWARF 5 has them, and those of versions 2 to 4. What is damaged libdw tells.
Result<void> DwarfAbbreviations::check_units_of(Bytes units) {
    Cursor all(units, sections_->order(), {.where = "DWARF units"});
    while (all.remaining() != 0) {
        std::uint64_t size = all.u32();
        const bool wide = size == UINT32_MAX;
        if (wide) size = all.u64();
        if (!all.ok() || size > all.remaining()) return {};
        Cursor in(all.bytes(size), sections_->order(), {.where = "DWARF units"});
        const auto version = in.u16();
        const auto offset = [&] { return wide ? in.u64() : in.u32(); };
        std::uint64_t table = 0;
        if (version >= 5) {
            const auto type = in.u8();
            in.skip(1);
            table = offset();
            const bool of_type = type == DW_UT_type || type == DW_UT_split_type;
            const bool of_part = type == DW_UT_skeleton || type == DW_UT_split_compile;
            if (of_type || of_part) in.skip(8);
            if (of_type) offset();
        } else {
            table = offset();
            in.skip(1);
            if (units.data() == sections_->types().data()) {
                in.skip(8);
                offset();
            }
        }
        const auto code = dwarf_number(in);
        if (!in.ok()) continue;
        if (auto right = read(sections_->abbreviations(), table, code); !right) {
            if (right.error().code == ErrorCode::limit) return right;
        }
    }
    return {};
}

Result<void> DwarfAbbreviations::check(const Dwarf_Die& entry) {
    if (entry.cu == last_) return {};
    const auto [known, added] = units_.try_emplace(entry.cu);
    if (added) {
        if (auto right = look(entry.cu); !right) known->second = right.error();
    }
    if (known->second) return fail(*known->second);
    last_ = entry.cu;
    return {};
}

Result<void> DwarfAbbreviations::look(Dwarf_CU* unit) {
    Dwarf_Die die;
    Dwarf_Off offset = 0;
    if (dwarf_cu_die(unit, &die, nullptr, &offset, nullptr, nullptr, nullptr, nullptr) == nullptr) {
        return fail(ErrorCode::malformed, Error::no_offset, "DWARF", "a unit cannot be read");
    }
    const bool main = dwarf_cu_getdwarf(unit) == sections_->dwarf();
    return read(main ? sections_->abbreviations() : sections_->alternate_abbreviations(), offset, {});
}

Result<void> DwarfAbbreviations::read(Bytes table, std::uint64_t offset, std::optional<std::uint64_t> code) {
    if (offset >= table.size()) {
        return fail(ErrorCode::malformed, Error::no_offset, "DWARF", "a table of abbreviations is not there");
    }
    const auto bytes = std::min(table.size() - offset, left_);
    Cursor in(table.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)), sections_->order(),
              {.where = "section .debug_abbrev", .offset = offset});
    while (in.ok()) {
        const auto found = dwarf_number(in);
        if (found == 0) break;
        dwarf_number(in);  // what it is
        in.skip(1);        // whether entries are in it
        for (std::uint64_t count = 0; in.ok(); ++count) {
            const auto name = dwarf_number(in);
            const auto form = dwarf_number(in);
            if (form == DW_FORM_implicit_const) dwarf_number(in);
            if (name == 0 && form == 0) break;
            if (count == most_attributes) {
                return dwarf_limit("an abbreviation has more than " + std::to_string(most_attributes) + " attributes");
            }
        }
        if (code && found == *code) break;
    }
    const auto used = in.ok() ? in.position() : bytes;
    left_ -= used;
    if (left_ == 0) return dwarf_limit("units share long tables of abbreviations");
    if (!in.ok()) return in.failure("abbreviations");
    return {};
}

}  // namespace perfdata
