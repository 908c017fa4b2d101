// SPDX-License-Identifier: MIT
// Selects the architecture that names the registers in samples.
#pragma once

#include <string>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct RegisterNames {
    std::string arch;  // empty: unknown, registers have numbers
    std::string note;  // warning for the user; empty: the recording says its architecture, or has no registers
};

// register_names(recording, names) looks for the architecture if samples have registers. `names` may be null: then no
// file is examined.
RegisterNames register_names(const Recording& recording, const Symbolizer* names);

}  // namespace perfdata::tool
