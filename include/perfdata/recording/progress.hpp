// SPDX-License-Identifier: MIT
// Progress of a long call.
#pragma once

#include <cstdint>

#include "perfdata/core/callback.hpp"

namespace perfdata {

// Progress is called from time to time with the number of bytes read and their total, on the reading thread. It may be
// empty. A total of 0 is unknown.
using Progress = Callback<void(std::uint64_t read, std::uint64_t total)>;

}  // namespace perfdata
