// SPDX-License-Identifier: MIT
// Of which architecture a recording is, where only the files of its objects tell.
#pragma once

#include "perfdata/recording/architecture.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// find_architecture(recording, names) asks the recording first, then the files that are at hand: the kernel's, then
// those of mapped objects, in the order of the recording, up to the first that tells.
Architecture find_architecture(const Recording& recording, const Symbolizer& names);

}  // namespace perfdata
