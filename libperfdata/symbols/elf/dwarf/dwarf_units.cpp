// SPDX-License-Identifier: MIT
// Checks the units of debug information and the first entry of each before libdw reads them.
#include <algorithm>
#include <dwarf.h>
#include <string>

#include "dwarf_entries.hpp"
#include "dwarf_number.hpp"
#include "dwarf_signatures.hpp"

namespace perfdata {
namespace {

enum class Bases : std::uint8_t { right, unset, cut_off };

// Looks at the attributes of the first entry of a unit, with values in `in`, for a table at 2^64 - 1. libdw takes that
// for "not looked up yet", and searches the entry at each use. cut_off: the values go on beyond `in`.
Bases bases_of(const DwarfUnitLayout& unit, std::uint64_t attributes_at, Cursor in) {
    Cursor attributes(unit.abbreviations.subspan(static_cast<std::size_t>(attributes_at)), unit.order,
                      {.where = "section .debug_abbrev"});
    while (in.ok()) {
        const auto name = dwarf_word(attributes);
        const auto form = dwarf_word(attributes);
        if (!name || !form || (*name == 0 && *form == 0)) return Bases::right;
        const auto constant = *form == DW_FORM_implicit_const ? dwarf_number(attributes) : 0;
        switch (*name) {
            case DW_AT_str_offsets_base:
            case DW_AT_addr_base:
            case DW_AT_rnglists_base:
            case DW_AT_loclists_base:
            case DW_AT_GNU_addr_base:
            case DW_AT_GNU_ranges_base: {
                auto value = in;
                switch (*form) {
                    case DW_FORM_implicit_const:
                        if (constant == UINT64_MAX) return Bases::unset;
                        break;
                    case DW_FORM_udata:
                        if (dwarf_number(value) == UINT64_MAX) return Bases::unset;
                        break;
                    case DW_FORM_sec_offset:
                        if (unit.offset_size == 8 && value.u64() == UINT64_MAX) return Bases::unset;
                        break;
                    case DW_FORM_data4:
                    case DW_FORM_data2:
                    case DW_FORM_data1: break;
                    default: return Bases::unset;  // compilers write no other form
                }
                break;
            }
            default: break;
        }
        if (!unit.skip(in, *form)) break;
    }
    return in.ok() ? Bases::right : Bases::cut_off;
}

}  // namespace

Result<void> DwarfEntries::check_units(LookOut& look) {
    for (auto& section : all_) {
        if (auto right = check_units_of(section, look); !right) return right;
    }
    return {};
}

// Reads headers of units: DWARF 5, section 7.5.1, and versions 2 to 4. libdw reports damage.
Result<void> DwarfEntries::check_units_of(Section& section, LookOut& look) {
    DwarfSignatures signatures;
    Cursor all(section.bytes, sections_->order(), {.where = "DWARF units"});
    while (all.remaining() != 0) {
        look();
        constexpr std::size_t longest_header = 64;  // with the code of the first entry
        const auto rest = section.bytes.subspan(all.position());
        sections_->load(rest.first(std::min(rest.size(), longest_header)));
        DwarfUnitLayout unit{.section = section.bytes,
                             .abbreviations = section.abbreviations,
                             .begin = all.position(),
                             .order = sections_->order()};
        std::uint64_t size = all.u32();
        const bool wide = size == UINT32_MAX;
        if (wide) size = all.u64();
        if (!all.ok() || size > all.remaining()) return {};
        // Count units without entries, too: libdw keeps them.
        if (units_left_ == 0) {
            return dwarf_limit("there are more than " + std::to_string(sections_->most_units()) + " units");
        }
        --units_left_;
        const auto start = all.position();
        unit.end = start + size;
        unit.offset_size = wide ? 8 : 4;
        Cursor in(all.bytes(size), sections_->order(), {.where = "DWARF units"});
        const auto offset = [&] { return wide ? in.u64() : in.u32(); };
        unit.version = in.u16();
        bool of_type = section.of_types;
        std::uint8_t type = 0;
        if (unit.version >= 5) {
            type = in.u8();
            unit.address_size = in.u8();
            of_type = type == DW_UT_type || type == DW_UT_split_type;
        }
        unit.table = offset();
        if (unit.version < 5) unit.address_size = in.u8();
        const bool of_part = type == DW_UT_skeleton || type == DW_UT_split_compile;
        const auto signature = of_type || of_part ? in.u64() : 0;
        if (of_type) offset();
        unit.first = start + in.position();
        const auto code = dwarf_word(in);
        if (!in.ok()) continue;
        if (of_type && !signatures.add(signature)) return dwarf_limit("types have signatures that collide");
        if (!code) return dwarf_limit("a code of more than 32 bits");
        section.units.push_back({unit, false, {}});
        const auto attributes = abbreviations_.check(section.abbreviations, unit.table, *code);
        if (!attributes) {
            if (attributes.error().code == ErrorCode::limit) return fail(attributes.error());
            if (!unreadable_) unreadable_ = attributes.error();
        } else if (*attributes == 0 && code != 0u && !unreadable_) {
            unreadable_ = Error{ErrorCode::malformed, Error::no_offset, "DWARF",
                                "the first entry of a unit has a code that no abbreviation has"};
        } else if (*attributes != 0) {
            hide_split(unit, *attributes);
            if (auto right = check_first_entry(unit, *attributes, start + in.position()); !right) return right;
        }
    }
    return {};
}

// libdw takes a unit of DWARF 4 that has entries and the number of a .dwo file for a unit of that file, and looks for
// its lines elsewhere. But compilers may repeat inlined calls in the unit that names the .dwo file.
void DwarfEntries::hide_split(const DwarfUnitLayout& unit, std::uint64_t attributes) {
    const auto begin = static_cast<std::size_t>(attributes);
    if (unit.version >= 5 || unit.abbreviations[begin - 1] != std::byte{DW_CHILDREN_yes}) return;
    Cursor in(unit.abbreviations.subspan(begin), unit.order, {.where = "section .debug_abbrev"});
    while (in.ok()) {
        const auto at = attributes + in.position();
        const auto name = dwarf_word(in), form = dwarf_word(in);
        if (!name || !form || (*name == 0 && *form == 0)) return;
        if (*form == DW_FORM_implicit_const) dwarf_number(in);
        if (*name == DW_AT_GNU_dwo_id) sections_->hide_split(at);
    }
}

// `values`: offset in the section of the values of its attributes.
Result<void> DwarfEntries::check_first_entry(const DwarfUnitLayout& unit, std::uint64_t attributes,
                                             std::uint64_t values) {
    constexpr std::size_t usual = 2048;
    const auto all =
        unit.section.subspan(static_cast<std::size_t>(values), static_cast<std::size_t>(unit.end - values));
    for (const auto part : {all.first(std::min(all.size(), usual)), all}) {
        sections_->load(part);
        const Cursor in(part, unit.order, {.where = "DWARF units", .offset = values});
        switch (bases_of(unit, attributes, in)) {
            case Bases::right: return {};
            case Bases::unset:
                return fail(ErrorCode::malformed, Error::no_offset, "DWARF",
                            "a unit's tables are at the end of memory");
            case Bases::cut_off: break;
        }
    }
    return {};
}

}  // namespace perfdata
