// SPDX-License-Identifier: MIT
// Limits of the C API.
#pragma once

#include "perfdata/core/limits.hpp"
#include "perfdata/perfdata.h"

namespace perfdata::c {

// Returns the defaults where a limit is 0, or `given` is null.
Limits limits_of(const perfdata_limits* given);

}  // namespace perfdata::c
