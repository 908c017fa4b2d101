// SPDX-License-Identifier: MIT
// Merges lines and inlined calls of a range of code. Needs libdw.
#pragma once

#include <vector>

#include "dwarf_unit.hpp"

namespace perfdata {

// Returns the places where the line or the inlined calls change, by offset from within.begin. Segments and calls are
// sorted by address and do not overlap. Equal texts share their bytes.
std::vector<LineStart> merged_lines(DwarfRange within, const std::vector<DwarfSegment>& segments,
                                    const std::vector<DwarfCall>& calls);

// Returns the same with what compilers count by. Functions are sorted by address and do not overlap, too.
std::vector<CompiledLine> compiled_lines(DwarfRange within, const std::vector<DwarfSegment>& segments,
                                         const std::vector<DwarfCall>& calls,
                                         const std::vector<DwarfDeclared>& functions);

}  // namespace perfdata
