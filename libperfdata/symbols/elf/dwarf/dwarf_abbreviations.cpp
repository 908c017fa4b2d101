// SPDX-License-Identifier: MIT
#include "dwarf_abbreviations.hpp"

#include <algorithm>
#include <dwarf.h>
#include <string>

#include "perfdata/core/cursor.hpp"

#include "dwarf_headroom.hpp"
#include "dwarf_number.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t some_tables = std::uint64_t{1} << 18, tables_a_byte = 16, most_attributes = 128;

// Returns the width of a value; nothing if it depends on the value.
std::optional<DwarfWidth> width_of(std::uint32_t form) {
    switch (form) {
        case DW_FORM_flag_present:
        case DW_FORM_implicit_const: return DwarfWidth{0, 0, 0};
        case DW_FORM_data1:
        case DW_FORM_ref1:
        case DW_FORM_flag:
        case DW_FORM_strx1:
        case DW_FORM_addrx1: return DwarfWidth{1, 0, 0};
        case DW_FORM_data2:
        case DW_FORM_ref2:
        case DW_FORM_strx2:
        case DW_FORM_addrx2: return DwarfWidth{2, 0, 0};
        case DW_FORM_strx3:
        case DW_FORM_addrx3: return DwarfWidth{3, 0, 0};
        case DW_FORM_data4:
        case DW_FORM_ref4:
        case DW_FORM_strx4:
        case DW_FORM_addrx4: return DwarfWidth{4, 0, 0};
        case DW_FORM_data8:
        case DW_FORM_ref8:
        case DW_FORM_ref_sig8: return DwarfWidth{8, 0, 0};
        case DW_FORM_data16: return DwarfWidth{16, 0, 0};
        case DW_FORM_addr: return DwarfWidth{0, 1, 0};
        case DW_FORM_strp:
        case DW_FORM_line_strp:
        case DW_FORM_sec_offset:
        case DW_FORM_GNU_ref_alt:
        case DW_FORM_GNU_strp_alt: return DwarfWidth{0, 0, 1};
        default: return {};
    }
}

}  // namespace

void DwarfAbbreviation::add(std::uint32_t name, std::uint32_t form) {
    ++count;
    placed = placed || name == DW_AT_low_pc || name == DW_AT_ranges;
    if (name == DW_AT_sibling) {
        const bool reads = form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 || form == DW_FORM_ref8;
        fixed = fixed && reads && sibling == 0;
        to_sibling = width;
        sibling = form;
    }
    const auto added = width_of(form);
    fixed = fixed && added;
    if (!added) return;
    width.bytes += added->bytes;
    width.addresses += added->addresses;
    width.offsets += added->offsets;
}

DwarfAbbreviations::DwarfAbbreviations(const DwarfSections& sections)
    : sections_(&sections), left_(some_tables + tables_a_byte * sections.entry_bytes()) {}

Result<std::uint64_t> DwarfAbbreviations::check(Bytes section, std::uint64_t offset, std::uint32_t code) {
    return read(section, offset, code, nullptr);
}

Result<const DwarfAbbreviations::Table*> DwarfAbbreviations::table(Bytes section, std::uint64_t offset) {
    auto& [size, known] = tables_[{section.data(), offset}];
    if (known) {
        dwarf_headroom(memory_of(size));
        if (size >= left_) return dwarf_limit("units share long tables of abbreviations");
        left_ -= size;
        return known.get();
    }
    auto table = std::make_unique<Table>();
    const auto before = left_;
    if (auto right = read(section, offset, {}, table.get()); !right) return fail(right.error());
    std::ranges::stable_sort(*table, {}, &DwarfAbbreviation::code);
    size = before - left_;
    known = std::move(table);
    dwarf_headroom(memory_of(size));
    return known.get();
}

Result<std::uint64_t> DwarfAbbreviations::read(Bytes section, std::uint64_t offset, std::optional<std::uint32_t> code,
                                               Table* table) {
    if (offset >= section.size()) {
        return fail(ErrorCode::malformed, Error::no_offset, "DWARF", "a table of abbreviations is not there");
    }
    const auto bytes = std::min(section.size() - offset, left_);
    Cursor in(section.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)), sections_->order(),
              {.where = "section .debug_abbrev", .offset = offset});
    const auto too_large = [&] { return in.contradiction("a number of more than 32 bits"); };
    std::uint64_t wanted = 0;  // offset of its attributes
    while (in.ok()) {
        const auto found = dwarf_word(in);
        if (!found && in.ok()) return too_large();
        if (found == 0u) break;
        const auto tag = dwarf_word(in);
        const bool children = in.u8() == DW_CHILDREN_yes;
        if (!tag && in.ok()) return too_large();
        if (code && found == code) wanted = offset + in.position();
        DwarfAbbreviation abbreviation;
        abbreviation.code = found.value_or(0);
        abbreviation.tag = tag.value_or(0);
        abbreviation.children = children;
        abbreviation.attributes = offset + in.position();
        for (std::uint64_t count = 0; in.ok(); ++count) {
            const auto name = dwarf_word(in);
            const auto form = dwarf_word(in);
            if ((!name || !form) && in.ok()) return too_large();
            if (form == std::uint32_t{DW_FORM_implicit_const}) dwarf_number(in);
            if (name == 0u && form == 0u) break;
            if (count == most_attributes) {
                return dwarf_limit("an abbreviation has more than " + std::to_string(most_attributes) + " attributes");
            }
            if (in.ok()) abbreviation.add(*name, *form);
        }
        if (table != nullptr && in.ok()) table->push_back(abbreviation);
        if (code && found == code) break;
    }
    const auto used = in.ok() ? in.position() : bytes;
    left_ -= used;
    largest_ = std::max(largest_, used);
    if (left_ == 0) return dwarf_limit("units share long tables of abbreviations");
    if (!in.ok()) return in.failure("abbreviations");
    return wanted;
}

}  // namespace perfdata
