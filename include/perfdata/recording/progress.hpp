// SPDX-License-Identifier: MIT
// How far a long call has come.
#pragma once

#include <cstdint>
#include <functional>

namespace perfdata {

// Progress is called now and then with how many bytes of how many have been read, on the thread that reads. It may be
// empty. A total of 0 is not known.
using Progress = std::function<void(std::uint64_t read, std::uint64_t total)>;

}  // namespace perfdata
