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

Result<std::uint64_t> DwarfAbbreviations::check(Bytes section, std::uint64_t offset, std::uint32_t code) {
    return read(section, offset, code, nullptr);
}

Result<const DwarfAbbreviations::Table*> DwarfAbbreviations::table(Bytes section, std::uint64_t offset) {
    auto& [size, known] = tables_[{section.data(), offset}];
    if (known) {
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
        if (table != nullptr && in.ok()) table->push_back({*found, *tag, children, offset + in.position()});
        for (std::uint64_t count = 0; in.ok(); ++count) {
            const auto name = dwarf_word(in);
            const auto form = dwarf_word(in);
            if ((!name || !form) && in.ok()) return too_large();
            if (form == std::uint32_t{DW_FORM_implicit_const}) dwarf_number(in);
            if (name == 0u && form == 0u) break;
            if (count == most_attributes) {
                return dwarf_limit("an abbreviation has more than " + std::to_string(most_attributes) + " attributes");
            }
        }
        if (code && found == code) break;
    }
    const auto used = in.ok() ? in.position() : bytes;
    left_ -= used;
    if (left_ == 0) return dwarf_limit("units share long tables of abbreviations");
    if (!in.ok()) return in.failure("abbreviations");
    return wanted;
}

}  // namespace perfdata
