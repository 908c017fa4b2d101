// SPDX-License-Identifier: MIT
#include "dwarf_ranges.hpp"

#include <algorithm>
#include <dwarf.h>

#include "perfdata/core/cursor.hpp"

#include "dwarf_number.hpp"

namespace perfdata {
namespace {

// Returns how many entries a list has, at most `most`. DWARF 5, section 7.25; DWARF 4, section 2.17.3.
std::uint64_t entries_in(Bytes list, const DwarfUnitLayout& unit, std::uint64_t most, LookOut* look) {
    Cursor in(list, unit.order, {.where = "list of address ranges"});
    const auto address = [&] { return unit.address_size == 8 ? in.u64() : in.u32(); };
    std::uint64_t count = 0;
    for (bool more = true; more && in.ok() && count < most; ++count) {
        if (look != nullptr) (*look)();
        if (unit.version < 5) {
            const auto begin = address(), end = address();
            more = begin != 0 || end != 0;
            continue;
        }
        switch (in.u8()) {
            case DW_RLE_base_addressx: dwarf_number(in); break;
            case DW_RLE_startx_endx:
            case DW_RLE_startx_length:
            case DW_RLE_offset_pair:
                dwarf_number(in);
                dwarf_number(in);
                break;
            case DW_RLE_base_address: address(); break;
            case DW_RLE_start_end:
                address();
                address();
                break;
            case DW_RLE_start_length:
                address();
                dwarf_number(in);
                break;
            default: more = false;  // the end, or damage
        }
    }
    return count;
}

}  // namespace

std::unexpected<Error> dwarf_failure(const std::string& what) {
    const char* text = dwarf_errmsg(0);  // null: unknown error
    return fail(ErrorCode::malformed, Error::no_offset, "DWARF", what + ": " + (text != nullptr ? text : "damaged"));
}

Result<std::vector<DwarfRange>> dwarf_ranges_of(Dwarf_Die& die, const DwarfUnitLayout& unit,
                                                const DwarfSections& sections, std::uint64_t& budget, LookOut* look) {
    Dwarf_Attribute value;
    Dwarf_Word offset = 0;
    if (dwarf_attr(&die, DW_AT_ranges, &value) != nullptr && dwarf_formudata(&value, &offset) == 0) {
        const auto lists = unit.version < 5 ? sections.ranges() : sections.range_lists();
        const auto list = lists.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(offset, lists.size())));
        const auto count = entries_in(list, unit, budget, look);
        budget -= count;
        if (budget == 0) return dwarf_limit("too many address ranges");
    }
    std::vector<DwarfRange> ranges;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    std::ptrdiff_t at = 0;
    while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0) {
        if (look != nullptr) (*look)();
        if (begin < end && sections.has_code(begin)) ranges.push_back({begin, end});
    }
    if (at < 0) return dwarf_failure("address ranges");
    return ranges;
}

}  // namespace perfdata
