// SPDX-License-Identifier: MIT
#include "dwarf_entries.hpp"

#include <algorithm>
#include <dwarf.h>
#include <functional>

#include "dwarf_number.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t some_bytes = std::uint64_t{1} << 18, times_referred = 32;

}  // namespace

const DwarfAbbreviation* DwarfUnitLayout::find(std::uint32_t code) const {
    // Compilers count them from 1.
    if (code - 1 < codes->size() && (*codes)[code - 1].code == code && (code == 1 || (*codes)[code - 2].code != code)) {
        return &(*codes)[code - 1];
    }
    const auto found = std::ranges::lower_bound(*codes, code, {}, &DwarfAbbreviation::code);
    return found == codes->end() || found->code != code ? nullptr : &*found;
}

bool DwarfUnitLayout::skip(Cursor& in, std::uint32_t form) const {
    switch (form) {
        case DW_FORM_flag_present:
        case DW_FORM_implicit_const: break;
        case DW_FORM_data1:
        case DW_FORM_ref1:
        case DW_FORM_flag:
        case DW_FORM_strx1:
        case DW_FORM_addrx1: in.skip(1); break;
        case DW_FORM_data2:
        case DW_FORM_ref2:
        case DW_FORM_strx2:
        case DW_FORM_addrx2: in.skip(2); break;
        case DW_FORM_strx3:
        case DW_FORM_addrx3: in.skip(3); break;
        case DW_FORM_data4:
        case DW_FORM_ref4:
        case DW_FORM_ref_sup4:
        case DW_FORM_strx4:
        case DW_FORM_addrx4: in.skip(4); break;
        case DW_FORM_data8:
        case DW_FORM_ref8:
        case DW_FORM_ref_sig8:
        case DW_FORM_ref_sup8: in.skip(8); break;
        case DW_FORM_data16: in.skip(16); break;
        case DW_FORM_sdata:
        case DW_FORM_udata:
        case DW_FORM_ref_udata:
        case DW_FORM_strx:
        case DW_FORM_addrx:
        case DW_FORM_loclistx:
        case DW_FORM_rnglistx:
        case DW_FORM_GNU_addr_index:
        case DW_FORM_GNU_str_index: dwarf_number(in); break;
        case DW_FORM_addr: in.skip(address_size); break;
        case DW_FORM_ref_addr: in.skip(version < 3 ? address_size : offset_size); break;
        case DW_FORM_strp:
        case DW_FORM_line_strp:
        case DW_FORM_sec_offset:
        case DW_FORM_strp_sup:
        case DW_FORM_GNU_ref_alt:
        case DW_FORM_GNU_strp_alt: in.skip(offset_size); break;
        case DW_FORM_string: in.terminated_string(); break;
        case DW_FORM_block1: in.skip(in.u8()); break;
        case DW_FORM_block2: in.skip(in.u16()); break;
        case DW_FORM_block4: in.skip(in.u32()); break;
        case DW_FORM_block:
        case DW_FORM_exprloc: in.skip(dwarf_number(in)); break;
        case DW_FORM_indirect: {
            const auto inner = dwarf_word(in);
            return inner && inner != std::uint32_t{DW_FORM_indirect} &&
                   inner != std::uint32_t{DW_FORM_implicit_const} && skip(in, *inner);
        }
        default: return false;
    }
    return in.ok();
}

std::optional<std::uint64_t> DwarfUnitLayout::reference(Cursor& in, std::uint32_t form) const {
    switch (form) {
        case DW_FORM_ref1: return begin + in.u8();
        case DW_FORM_ref2: return begin + in.u16();
        case DW_FORM_ref4: return begin + in.u32();
        case DW_FORM_ref8: return begin + in.u64();
        case DW_FORM_ref_udata: return begin + dwarf_number(in);
        case DW_FORM_ref_addr:
            if (version >= 3) return offset_size == 8 ? in.u64() : in.u32();
            return address_size == 8 ? in.u64() : in.u32();
        default: return {};
    }
}

bool DwarfUnitLayout::read(std::uint64_t offset, DwarfEntry& entry) const {
    if (offset < first || offset >= end) return false;
    Cursor in(section.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(end - offset)), order,
              {.where = "DWARF entries", .offset = offset});
    const auto code = dwarf_word(in);
    if (!code) return false;
    entry = {.offset = offset, .end = offset + in.position()};
    if (*code == 0) return true;
    const auto* abbreviation = find(*code);
    if (abbreviation == nullptr || abbreviation->tag == 0) return false;
    entry.tag = abbreviation->tag;
    entry.children = abbreviation->children;
    entry.attributes = abbreviation->count;
    entry.placed = abbreviation->placed;
    const auto is_right = [&] { return entry.sibling == 0 || (entry.sibling >= entry.end && entry.sibling <= end); };
    if (abbreviation->fixed) {
        auto values = in;
        in.skip(abbreviation->width.size(address_size, offset_size));
        if (!in.ok()) return false;
        entry.end = offset + in.position();
        if (abbreviation->sibling != 0) {
            values.skip(abbreviation->to_sibling.size(address_size, offset_size));
            entry.sibling = reference(values, abbreviation->sibling).value_or(0);
        }
        return is_right();
    }
    Cursor attributes(abbreviations.subspan(static_cast<std::size_t>(abbreviation->attributes)), order,
                      {.where = "section .debug_abbrev"});
    while (true) {
        const auto name = dwarf_word(attributes);
        const auto form = dwarf_word(attributes);
        if (!name || !form) return false;
        if (*name == 0 && *form == 0) break;
        if (*form == DW_FORM_implicit_const) dwarf_number(attributes);
        const auto before = in.position();
        const auto sibling = *name == DW_AT_sibling ? reference(in, *form) : std::nullopt;
        if (sibling && in.ok()) entry.sibling = *sibling;
        if (in.position() == before && !skip(in, *form)) return false;
        if (!in.ok()) return false;
    }
    entry.end = offset + in.position();
    return is_right();
}

DwarfEntries::DwarfEntries(DwarfSections& sections, DwarfEntries* alternate)
    : sections_(&sections),
      alternate_(alternate),
      abbreviations_(sections),
      all_{Section{sections.entries(), sections.abbreviations(), false, {}},
           Section{sections.types(), sections.abbreviations(), true, {}}},
      left_(some_bytes + times_referred * sections.entry_bytes()),
      units_left_(sections.most_units()) {}

std::optional<std::pair<std::uint64_t, std::uint64_t>> DwarfEntries::place_of(const Dwarf_Die& entry) const {
    const auto* const at = static_cast<const std::byte*>(entry.addr);
    const std::less before;
    for (std::uint64_t number = 0; const auto& section : all_) {
        const auto* const begin = section.bytes.data();
        if (!section.bytes.empty() && !before(at, begin) && before(at, begin + section.bytes.size())) {
            return std::pair(number, static_cast<std::uint64_t>(at - begin));
        }
        ++number;
    }
    return {};
}

DwarfEntries::Unit* DwarfEntries::find(const Dwarf_Die& entry) {
    const auto place = place_of(entry);
    if (!place) return nullptr;
    auto& units = all_[place->first].units;
    const auto behind =
        std::ranges::upper_bound(units, place->second, {}, [](const Unit& unit) { return unit.layout.first; });
    if (behind == units.begin()) return nullptr;
    auto& unit = *std::prev(behind);
    return place->second < unit.layout.end ? &unit : nullptr;
}

std::uint64_t DwarfEntries::number_of(const Dwarf_Die& entry) const {
    constexpr unsigned offset_bits = 62;
    constexpr std::uint64_t of_alternate = 2, nowhere = 3;  // nowhere: libdw found no such entry
    if (const auto place = place_of(entry)) return place->first << offset_bits | place->second;
    const auto place = alternate_ != nullptr ? alternate_->place_of(entry) : std::nullopt;
    return place && place->first == 0 ? of_alternate << offset_bits | place->second : nowhere << offset_bits;
}

const DwarfUnitLayout* DwarfEntries::layout_of(const Dwarf_Die& entry) {
    const auto* unit = find(entry);
    return unit == nullptr ? nullptr : &unit->layout;
}

Result<const DwarfUnitLayout*> DwarfEntries::unit_of(const Dwarf_Die& entry) {
    const auto in = [&](const DwarfUnitLayout& unit) {
        const auto* const at = static_cast<const std::byte*>(entry.addr);
        const auto* const begin = unit.section.data();
        return !std::less{}(at, begin + unit.first) && std::less{}(at, begin + unit.end);
    };
    if (last_ == nullptr || !in(last_->layout)) {
        auto* unit = find(entry);
        if (unit == nullptr && alternate_ != nullptr) return alternate_->unit_of(entry);
        if (unit == nullptr) return fail(ErrorCode::malformed, Error::no_offset, "DWARF", "a unit cannot be read");
        if (!unit->checked) {
            const auto& layout = unit->layout;
            sections_->load(layout.section.subspan(static_cast<std::size_t>(layout.begin),
                                                   static_cast<std::size_t>(layout.end - layout.begin)));
            if (const auto codes = abbreviations_.table(unit->layout.abbreviations, unit->layout.table)) {
                unit->layout.codes = *codes;
            } else {
                unit->damage = codes.error();
            }
            unit->checked = true;  // last: memory may run out before, and the next call then tries again
        }
        if (unit->damage) return fail(*unit->damage);
        last_ = unit;
    }
    return &last_->layout;
}

Result<void> DwarfEntries::refer(const Dwarf_Die& entry) {
    const auto unit = unit_of(entry);
    if (!unit) return fail(unit.error());
    DwarfEntry found;
    if (!(*unit)->read(offset_of(entry, **unit), found)) {
        return fail(ErrorCode::malformed, Error::no_offset, "DWARF", "an entry cannot be read");
    }
    const auto size = found.end - found.offset + 2 * std::uint64_t{found.attributes};
    if (size >= left_) return dwarf_limit("entries that others refer to are too long");
    left_ -= size;
    return {};
}

DwarfWalk::DwarfWalk(const DwarfUnitLayout& unit, std::uint64_t root, std::uint64_t& left)
    : unit_(&unit), left_(&left) {
    damaged_ = !unit.read(root, current_) || current_.tag == 0;
}

DwarfWalk::Next DwarfWalk::next(bool inside) {
    if (damaged_) return Next::damaged;
    auto at = current_.end;
    std::size_t passing = 0;  // levels below that of the wanted entries
    if (current_.children && inside) {
        ++depth_;
    } else if (depth_ == 1) {
        return Next::end;
    } else if (current_.children) {
        if (current_.sibling != 0) at = current_.sibling;
        if (current_.sibling == 0) ++passing;
    }
    while (at < unit_->end) {
        if (*left_ == 0) return Next::too_many;
        DwarfEntry entry;
        if (!unit_->read(at, entry)) {
            damaged_ = true;
            return Next::damaged;
        }
        *left_ -= std::min(*left_, 1 + std::uint64_t{entry.attributes} / 4);
        at = entry.end;
        if (entry.tag == 0) {
            if (passing != 0) {
                --passing;
            } else if (--depth_ == 1) {
                return Next::end;
            }
        } else if (passing == 0) {
            current_ = entry;
            return Next::entry;
        } else if (entry.children) {
            if (entry.sibling != 0) at = entry.sibling;
            if (entry.sibling == 0) ++passing;
        }
    }
    return Next::end;
}

}  // namespace perfdata
