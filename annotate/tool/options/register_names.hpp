// SPDX-License-Identifier: MIT
// By whose names the registers in samples are called.
#pragma once

#include <string>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata::tool {

struct RegisterNames {
    std::string arch;  // empty: not known, and registers have numbers
    std::string note;  // what to say about it; empty: the recording says its architecture, or has no registers
};

// register_names(recording, names) looks for the architecture if samples have registers. `names` may be null: then no
// file is asked.
RegisterNames register_names(const Recording& recording, const Symbolizer* names);

}  // namespace perfdata::tool
