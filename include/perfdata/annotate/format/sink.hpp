// SPDX-License-Identifier: MIT
// Where finished output goes.
#pragma once

#include <string_view>

#include "perfdata/core/callback.hpp"

namespace perfdata {

// Sink takes finished output, a block at a time.
using Sink = Callback<void(std::string_view)>;

}  // namespace perfdata
