// SPDX-License-Identifier: MIT
#include "perfdata/timeline/tasks.hpp"

#include <algorithm>
#include <ranges>

namespace perfdata {

const Mapping* Tasks::mapping_at(Pid pid, Address address, Time time, Machine machine) const {
    const auto* start = starts_.at(key(machine, pid.value), time);
    const auto* found = start == nullptr ? nullptr : spaces_.find(start->space, address, time);
    if (found != nullptr || machine != host) return found;
    // Nobody maps this page: it comes with every process and survives exec. Only /proc lists it.
    const auto* page = vsyscall();
    return page != nullptr && page->range.contains(address) ? page : nullptr;
}

const Mapping* Tasks::kernel_mapping_at(Address address, Time time, Machine machine) const {
    if (machine == host) return spaces_.find(host_kernel_, address, time);
    const auto found = kernel_spaces_.find(machine);
    return found == kernel_spaces_.end() ? nullptr : spaces_.find(found->second, address, time);
}

bool Tasks::knows(Pid pid, Time time, Machine machine) const {
    return starts_.at(key(machine, pid.value), time) != nullptr;
}

std::string_view Tasks::comm_at(Tid tid, Time time, Machine machine) const {
    const auto* comm = comm_history_.at(key(machine, tid.value), time);
    return comm == nullptr ? std::string_view{} : comms_[*comm];
}

const Thread* Tasks::thread_at(Tid tid, Time time, Machine machine) const {
    const auto* thread = thread_history_.at(key(machine, tid.value), time);
    return thread == nullptr ? nullptr : &threads_[*thread];
}

std::optional<Time> Tasks::exec_at(Pid pid, Time time, Machine machine) const {
    const auto starts = starts_.of(key(machine, pid.value));
    const auto later = std::ranges::upper_bound(starts, time, {}, [](const auto& start) { return start.from; });
    // A process forked since then runs its parent's program.
    if (later == starts.begin() || !std::prev(later)->value.exec) return {};
    return std::prev(later)->from;
}

std::span<const NamespaceLink> Tasks::namespaces_at(Pid pid, Tid tid, Time time, Machine machine) const {
    const auto* found = namespace_history_.at(key(machine, tid.value), time);
    if (found == nullptr) found = namespace_history_.at(key(machine, pid.value), time);
    if (found == nullptr) return {};
    return namespace_sets_[*found];
}

std::optional<std::string_view> Tasks::cgroup(std::uint64_t id) const {
    const auto found = cgroups_.find(id);
    if (found == cgroups_.end()) return {};
    return found->second;
}

std::span<const Object> Tasks::objects() const {
    return objects_;
}

std::span<const Mapping> Tasks::mappings() const {
    return spaces_.mappings();
}

std::span<const Thread> Tasks::threads() const {
    return threads_;
}

const Mapping* Tasks::vsyscall() const {
    const auto all = mappings();
    return vsyscall_ < all.size() ? &all[vsyscall_] : nullptr;
}

}  // namespace perfdata
