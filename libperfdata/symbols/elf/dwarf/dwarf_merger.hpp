// SPDX-License-Identifier: MIT
// Lines and inlined calls of a stretch of code, put together. Needs libdw.
#pragma once

#include <vector>

#include "dwarf_unit.hpp"

namespace perfdata {

// merged_lines(within, segments, calls) is where the line or the inlined calls change, by offset from within.begin;
// segments and calls are by address and apart from each other. Equal texts are the same bytes.
std::vector<LineStart> merged_lines(DwarfRange within, const std::vector<DwarfSegment>& segments,
                                    const std::vector<DwarfCall>& calls);

}  // namespace perfdata
