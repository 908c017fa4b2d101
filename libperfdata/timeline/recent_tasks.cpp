// SPDX-License-Identifier: MIT
#include "perfdata/timeline/recent_tasks.hpp"

#include <algorithm>

namespace perfdata {

std::string_view RecentTasks::look_up_comm(Comm& recent, std::uint64_t key, Time time) {
    const auto found = tasks_.comm_history_.lasting(key, time);
    recent = {key, found.from, found.until, {}};
    if (found.value != nullptr) recent.comm = tasks_.comms_[*found.value];
    return recent.comm;
}

const Mapping* RecentTasks::look_up_mapping(Place& recent, std::uint64_t key, Pid pid, Address address, Time time,
                                            Machine machine) {
    const auto start = tasks_.starts_.lasting(key, time);
    if (start.value == nullptr) return tasks_.mapping_at(pid, address, time, machine);
    AddressSpaces::Stretch stretch;
    const auto* mapping = tasks_.spaces_.find(start.value->space, address, time, stretch);
    if (mapping == nullptr) return tasks_.mapping_at(pid, address, time, machine);
    recent = {
        key,    stretch.begin, stretch.last, std::max(start.from, mapping->from), std::min(start.until, stretch.until),
        mapping};
    return mapping;
}

const Mapping* RecentTasks::look_up_kernel_mapping(Address address, Time time) {
    AddressSpaces::Stretch stretch;
    const auto* mapping = tasks_.spaces_.find(tasks_.host_kernel_, address, time, stretch);
    if (mapping != nullptr) kernel_ = {0, stretch.begin, stretch.last, mapping->from, stretch.until, mapping};
    return mapping;
}

}  // namespace perfdata
