// SPDX-License-Identifier: MIT
// Reads the addresses of a unit, a function or an inlined call. Needs libdw.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"

#include "dwarf_entries.hpp"
#include "dwarf_sections.hpp"

namespace perfdata {

// Returns libdw's last error. Its code is malformed: the files are in memory, so io cannot fail.
std::unexpected<Error> dwarf_failure(const std::string& what);

// Returns the addresses of an entry of the unit. Each entry of its list, range or base address, costs one of the
// budget: any number of functions may share a list. Ranges that begin where there is no code are left out. Errors:
// malformed, limit. `look`, if given, is called for each entry, and may throw.
Result<std::vector<DwarfRange>> dwarf_ranges_of(Dwarf_Die& die, const DwarfUnitLayout& unit,
                                                const DwarfSections& sections, std::uint64_t& budget,
                                                LookOut* look = nullptr);

}  // namespace perfdata
