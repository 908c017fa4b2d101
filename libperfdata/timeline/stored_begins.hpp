// SPDX-License-Identifier: MIT
// Where functions of a profile file begin: each place of it gets a frame of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "recording/stored/model.hpp"

namespace perfdata {

// stored_begins(model) returns Frame::offset of the first byte of each function, as counting and names have it: that of
// the recording, as a rule.
//
// In a profile that was merged, several functions may lie at one place, and code that one of the recordings had no name
// of: in files without a build-id, memory of processes, kernels at random addresses. All but one of them then move to
// where nothing is, behind `stored_moved`. Code without a name stays, since it is its address that is shown.
//
// Takes n log n for n rows of functions and frames.
inline constexpr std::uint64_t stored_moved = std::uint64_t{1} << 62;
std::vector<std::uint64_t> stored_begins(const stored::Model& model);

}  // namespace perfdata
