// SPDX-License-Identifier: MIT
// Where finished output goes.
#pragma once

#include <functional>
#include <string_view>

namespace perfdata {

// Sink takes finished output, a block at a time.
using Sink = std::function<void(std::string_view)>;

}  // namespace perfdata
