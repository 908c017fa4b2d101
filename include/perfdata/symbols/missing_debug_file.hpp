// SPDX-License-Identifier: MIT
// A separate debug file that a file names, but that is not here.
#pragma once

#include <string>

#include "perfdata/core/export.hpp"
#include "perfdata/symbols/symbol_miss.hpp"

namespace perfdata {

// MissingDebugFile is what .gnu_debuglink of a file names, and why it is not used.
struct PERFDATA_EXPORT MissingDebugFile {
    std::string name;  // as the file has it: without a directory, as a rule
    // not_found; build_id_differs: it is stale, or of another build; no_build_id: the file has none that would prove
    // it; offline, not_opened or unreadable.
    SymbolMiss why = SymbolMiss::not_found;

    // Returns a sentence without its subject, the file: "names the debug file prog.debug, which was not found".
    std::string text() const;
};

}  // namespace perfdata
