// SPDX-License-Identifier: MIT
// The addresses of a unit, a function or an inlined call. Needs libdw.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"

#include "dwarf_entries.hpp"
#include "dwarf_sections.hpp"

namespace perfdata {

// dwarf_failure(what) is libdw's last error in words. It is `malformed`: the files are in memory.
std::unexpected<Error> dwarf_failure(const std::string& what);

// dwarf_ranges_of(die, unit, sections, budget) is the addresses of an entry of that unit. Each entry of its list costs
// the budget, whether it is a range or the base of others: any number of functions may have one list. What begins where
// there is no code is left out. Errors: malformed, limit.
Result<std::vector<DwarfRange>> dwarf_ranges_of(Dwarf_Die& die, const DwarfUnitLayout& unit,
                                                const DwarfSections& sections, std::uint64_t& budget);

}  // namespace perfdata
