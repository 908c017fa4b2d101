// SPDX-License-Identifier: MIT
// Ids of the cgroups of a profile.
#pragma once

#include <cstdint>
#include <vector>

#include "recording/stored/model.hpp"

namespace perfdata {

// stored_cgroup_ids(model) returns an id for each row of model.cgroups: its own, unless another cgroup has the same
// one, as those of two machines may. None is 0, which would mean that nothing was recorded. Takes n log n.
std::vector<std::uint64_t> stored_cgroup_ids(const stored::Model& model);

}  // namespace perfdata
