// SPDX-License-Identifier: MIT
// The processes and threads of a recording over time: their names, their mappings, who forked them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perfdata/timeline/address_spaces.hpp"
#include "perfdata/timeline/history.hpp"
#include "perfdata/timeline/mapping.hpp"
#include "perfdata/wire/record/namespaces.hpp"

namespace perfdata {

// Machine is the host (0) or a guest, by the pid of the process that ran it. Each has processes of its own.
struct Machine {
    std::uint32_t pid = 0;
    constexpr auto operator<=>(const Machine&) const = default;
};
inline constexpr Machine host{};

// Thread is one life of a thread: ids are given again after its end.
struct Thread {
    Tid tid;
    Pid pid;
    Pid parent_pid;  // who forked it; all ones if not recorded. Of a thread: its own process.
    Tid parent_tid;
    Time from;                     // zero: since before the recording began
    Time until = Time::forever();  // forever: did not exit before the recording ended

    bool leads() const { return tid.value == pid.value; }
};

// Tasks is const once built and may be read from many threads. What holds at a time includes what happened at that very
// time. Pointers and views live as long as the timeline, also if it is moved.
//
// Of a recording without times there is only one moment, and the last that was told of everything holds.
class Tasks {
  public:
    // mapping_at(pid, address, time) is what the process had mapped there, or null. A process sees what its parent had
    // mapped when it forked, until it begins another program. The page of [vsyscall] is in every process.
    const Mapping* mapping_at(Pid pid, Address address, Time time, Machine machine = host) const;

    // kernel_mapping_at(address, time) is the kernel itself or one of its modules, see object(mapping).kind; or null.
    const Mapping* kernel_mapping_at(Address address, Time time, Machine machine = host) const;

    // knows(pid, time) is whether any record tells of the process.
    bool knows(Pid pid, Time time, Machine machine = host) const;

    // comm_at(tid, time) is the name of the thread; empty if not known, for which perf prints ":TID". A forked thread
    // has the name of its parent. The idle thread, tid 0, is "swapper". Equal names are the same view (data()).
    std::string_view comm_at(Tid tid, Time time, Machine machine = host) const;

    // thread_at(tid, time) is the latest life of the thread that had begun by then, over or not; null if none had.
    const Thread* thread_at(Tid tid, Time time, Machine machine = host) const;
    // exec_at(pid, time) is when the process began the program that it ran then; empty if not recorded.
    std::optional<Time> exec_at(Pid pid, Time time, Machine machine = host) const;

    // namespaces_at(pid, tid, time): the element at `index` is of kind namespace_kind(index). Of a thread that nothing
    // is told of: those of its process. Empty if not recorded.
    std::span<const Namespaces::Link> namespaces_at(Pid pid, Tid tid, Time time, Machine machine = host) const;

    // cgroup(id) is the path of the group of samples with that id; empty if not recorded.
    std::optional<std::string_view> cgroup(std::uint64_t id) const;

    // machine_of(id) is to which machine a sample of that event id belongs.
    Machine machine_of(EventId id) const {
        if (guests_.empty()) return host;
        const auto found = guests_.find(id);
        return found == guests_.end() ? host : found->second;
    }
    bool has_guests() const { return !guests_.empty(); }

    // comms() is every name that a thread had; no two are equal.
    const std::vector<std::string>& comms() const { return comms_; }

    const Object& object(const Mapping& mapping) const { return objects_[mapping.object]; }
    // objects() is each distinct object of a mapping, in order of their first record.
    std::span<const Object> objects() const { return objects_; }
    // mappings() is every mapping there ever was, threads() every life of a thread, both by time.
    std::span<const Mapping> mappings() const { return spaces_.mappings(); }
    std::span<const Thread> threads() const { return threads_; }

  private:
    friend class RecentTasks;
    friend class TasksBuilder;
    // Start is a process that has a new address space.
    struct Start {
        SpaceIndex space = AddressSpaces::none;
        bool exec = false;
    };
    // vsyscall() is some mapping of [vsyscall], which is never empty, or null.
    const Mapping* vsyscall() const { return vsyscall_ < mappings().size() ? &mappings()[vsyscall_] : nullptr; }
    static std::uint64_t key(Machine machine, std::uint32_t id) { return std::uint64_t{machine.pid} << 32 | id; }

    AddressSpaces spaces_;
    std::vector<Object> objects_;
    History<Start> starts_;                        // by machine and pid
    std::map<Machine, SpaceIndex> kernel_spaces_;  // of the guests
    SpaceIndex host_kernel_ = AddressSpaces::none;
    std::uint32_t vsyscall_ = ~std::uint32_t{0};  // index of some mapping of [vsyscall]
    std::vector<std::string> comms_;              // no two are equal
    History<std::uint32_t> comm_history_;         // by machine and tid: index in comms_
    std::vector<Thread> threads_;
    History<std::uint32_t> thread_history_;  // by machine and tid: index in threads_
    std::vector<std::vector<Namespaces::Link>> namespace_sets_;
    History<std::uint32_t> namespace_history_;  // by machine and tid: index in namespace_sets_
    std::map<std::uint64_t, std::string> cgroups_;
    std::unordered_map<EventId, Machine, KeyedHash> guests_;  // keyed: a constant for each search
};

}  // namespace perfdata
