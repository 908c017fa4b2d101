// SPDX-License-Identifier: MIT
// How the library was built. Link perfdata::perfdata.
#pragma once

#include <string_view>

#include "perfdata/core/export.hpp"

namespace perfdata {

// BuildInfo has texts that live for ever.
struct BuildInfo {
    std::string_view version;   // of the compiled library, as perfdata::header_version; another one is there where it
                                // was replaced by a newer one after a program was built
    std::string_view compiler;  // as it calls itself: "g++ 12.2.0"
    bool dwarf = false;         // lines and inlined calls of ELF files, with libdw
    bool archives = false;      // what perf archive packs, with libarchive
};

// Returns how the library that runs was built.
PERFDATA_EXPORT BuildInfo build_info();

}  // namespace perfdata
