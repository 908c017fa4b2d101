// SPDX-License-Identifier: MIT
// The architecture of a recording, if only the files of its objects show it.
#pragma once

#include "perfdata/core/export.hpp"
#include "perfdata/recording/architecture.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// Asks the recording first, which may take a pass over its records, then the available files: the kernel's, then those
// of mapped objects in the order of the recording. Returns the first answer; its name is empty if there is none, or if
// `watch` stopped it.
PERFDATA_EXPORT Architecture find_architecture(const Recording& recording, const Symbolizer& names,
                                               const Watch& watch = {});

}  // namespace perfdata
