// SPDX-License-Identifier: MIT
// Progress of a long call, and how it is stopped.
#pragma once

#include <cstdint>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/stop_token.hpp"

namespace perfdata {

// Progress is called from time to time with the number of bytes read and their total, on the reading thread. It may be
// empty. A total of 0 is unknown.
using Progress = Callback<void(std::uint64_t read, std::uint64_t total)>;

// Watch is how a call that may take long is stopped, and who is told how far it is. Without either it just runs.
struct Watch {
    StopToken stop = {};     // asked often; by default it never stops
    Progress progress = {};  // by default nobody is told
};

}  // namespace perfdata
