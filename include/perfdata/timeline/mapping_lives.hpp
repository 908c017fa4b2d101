// SPDX-License-Identifier: MIT
// All mappings that ever lay at an address.
#pragma once

#include <optional>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/tasks.hpp"

namespace perfdata {

// MappingLife is one mapping that lay at the address.
struct MappingLife {
    const Mapping* mapping = nullptr;  // lives as long as the tasks
    // When its process lost it at the address: something else was mapped there, or the process called exec or ended.
    // Forever for the kernel and its modules.
    Time until = Time::forever();
};

// mapping_lives(tasks, address, pid) returns them in the order of tasks.mappings(): of all processes and of the kernel,
// or, with `pid`, of that process and of the kernel.
PERFDATA_EXPORT std::vector<MappingLife> mapping_lives(const Tasks& tasks, Address address,
                                                       std::optional<Pid> pid = {});

}  // namespace perfdata
