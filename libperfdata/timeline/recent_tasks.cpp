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

void RecentTasks::look_up_start(Start& recent, std::uint64_t key, Time time) {
    const auto found = tasks_.starts_.lasting(key, time);
    recent = {.key = key, .from = found.from, .until = found.until, .known = found.value != nullptr};
    if (found.value == nullptr) return;
    recent.exec = found.value->exec;
    recent.space = found.value->space;
}

const Mapping* RecentTasks::look_up_mapping(Place& recent, std::uint64_t key, Address address, Time time,
                                            Machine machine, Lasting* holds) {
    const auto& start = start_at(key, time);
    AddressSpaces::Stretch stretch;
    const auto* mapping = tasks_.spaces_.find(start.space, address, time, stretch);
    const auto until = std::min(start.until, stretch.until);
    if (mapping != nullptr) {
        recent = {key, stretch.begin, stretch.last, {std::max(start.from, mapping->from), until}, mapping};
        if (holds != nullptr) *holds = recent.lasting;
        return mapping;
    }
    // The page of [vsyscall] is in every process.
    if (const auto* page = machine == host ? tasks_.vsyscall() : nullptr) {
        if (page->range.contains(address)) {
            if (holds != nullptr) *holds = {time, {time.nanoseconds + 1}};
            return page;
        }
        if (address < page->range.begin) {
            stretch.last = std::min(stretch.last, Address{page->range.begin.value - 1});
        } else {
            stretch.begin = std::max(stretch.begin, Address{page->range.last().value + 1});
        }
    }
    gaps_[place<starts>(key)] = {key, stretch.begin, stretch.last, {start.from, until}, nullptr};
    if (holds != nullptr) *holds = {start.from, until};
    return nullptr;
}

const Mapping* RecentTasks::look_up_kernel_mapping(Address address, Time time) {
    AddressSpaces::Stretch stretch;
    const auto* mapping = tasks_.spaces_.find(tasks_.host_kernel_, address, time, stretch);
    if (mapping != nullptr) kernel_ = {0, stretch.begin, stretch.last, {mapping->from, stretch.until}, mapping};
    return mapping;
}

}  // namespace perfdata
