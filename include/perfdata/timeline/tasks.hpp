// SPDX-License-Identifier: MIT
// The processes and threads of a recording over time: names, mappings, parents.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/address_spaces.hpp"
#include "perfdata/timeline/history.hpp"
#include "perfdata/timeline/mapping.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

// Machine is the host (0) or a guest, identified by the pid of the process that ran it. Each has its own processes.
struct Machine {
    std::uint32_t pid = 0;  // on the host; 0: the host itself
    constexpr auto operator<=>(const Machine&) const = default;
};
inline constexpr Machine host{};  // the machine that recorded

// Thread is one life of a thread: ids are reused after its end.
struct Thread {
    Tid tid;         // as the kernel numbers it
    Pid pid;         // its process
    Pid parent_pid;  // the process that forked it; all ones if not recorded. For a thread: its own process.
    Tid parent_tid;  // the thread that forked it; all ones if not recorded
    Time from;       // zero: since before the recording began
    Time until = Time::forever();  // forever: did not exit before the recording ended

    bool leads() const { return tid.value == pid.value; }  // it is the first thread of its process
};

// Tasks is const once built and may be read from many threads. The state at a time includes changes at that very time.
// Pointers and views live as long as the timeline, even if it is moved.
//
// In a recording without times there is only one moment, and the last record of everything holds.
class PERFDATA_EXPORT Tasks {
  public:
    // mapping_at(pid, address, time) returns the process's mapping at the address, or null. A process sees what its
    // parent had mapped at the fork, until it calls exec. The page of [vsyscall] is in every process.
    const Mapping* mapping_at(Pid pid, Address address, Time time, Machine machine = host) const;

    // kernel_mapping_at(address, time) returns the kernel itself or one of its modules, see object(mapping).kind; or
    // null.
    const Mapping* kernel_mapping_at(Address address, Time time, Machine machine = host) const;

    // knows(pid, time) returns true if any record mentions the process.
    bool knows(Pid pid, Time time, Machine machine = host) const;

    // comm_at(tid, time) returns the name of the thread; empty if unknown, which perf prints as ":TID". A forked thread
    // has the name of its parent. The idle thread, tid 0, is "swapper". Equal names are the same view (data()).
    std::string_view comm_at(Tid tid, Time time, Machine machine = host) const;

    // thread_at(tid, time) returns the latest life of the thread that had begun by then, over or not; null if none had.
    const Thread* thread_at(Tid tid, Time time, Machine machine = host) const;
    // exec_at(pid, time) returns when the process started the program it ran at that time; empty if not recorded.
    std::optional<Time> exec_at(Pid pid, Time time, Machine machine = host) const;

    // namespaces_at(pid, tid, time): the element at `index` is of kind namespace_kind(index). For a thread without a
    // record: those of its process. Empty if not recorded.
    std::span<const NamespaceLink> namespaces_at(Pid pid, Tid tid, Time time, Machine machine = host) const;

    // cgroup(id) returns the path of the cgroup with the id found in samples; empty if not recorded.
    std::optional<std::string_view> cgroup(std::uint64_t id) const;
    // Returns all paths by id.
    const std::map<std::uint64_t, std::string>& cgroups() const { return cgroups_; }

    // machine_of(id) returns the machine of samples with that event id.
    Machine machine_of(EventId id) const {
        if (guests_.empty()) return host;
        const auto* machine = guests_.at(id.value, {});
        return machine == nullptr ? host : *machine;
    }
    bool has_guests() const { return !guests_.empty(); }  // samples of guests can be told apart

    // comms() returns every name that a thread had, without duplicates.
    const std::vector<std::string>& comms() const { return comms_; }

    // object(mapping) returns what was mapped; it lives as long as the timeline.
    const Object& object(const Mapping& mapping) const { return objects_[mapping.object]; }
    // objects() returns each distinct mapped object, ordered by its first record.
    std::span<const Object> objects() const;
    // mappings() returns all mappings ever made, threads() every life of a thread, both by time.
    std::span<const Mapping> mappings() const;
    std::span<const Thread> threads() const;

  private:
    friend class RecentTasks;
    friend class StoredTimeline;
    friend class TasksBuilder;
    // Start is a process that has a new address space.
    struct Start {
        SpaceIndex space = AddressSpaces::none;
        bool exec = false;
    };
    // vsyscall() returns some mapping of [vsyscall], which is never empty, or null.
    const Mapping* vsyscall() const;
    static std::uint64_t key(Machine machine, std::uint32_t id) { return std::uint64_t{machine.pid} << 32 | id; }

    AddressSpaces spaces_;
    std::vector<Object> objects_;
    History<Start> starts_;                        // by machine and pid
    std::map<Machine, SpaceIndex> kernel_spaces_;  // of the guests
    SpaceIndex host_kernel_ = AddressSpaces::none;
    std::uint32_t vsyscall_ = ~std::uint32_t{0};  // index of some mapping of [vsyscall]
    std::vector<std::string> comms_;              // without duplicates
    History<std::uint32_t> comm_history_;         // by machine and tid: index in comms_
    std::vector<Thread> threads_;
    History<std::uint32_t> thread_history_;  // by machine and tid: index in threads_
    std::vector<std::vector<NamespaceLink>> namespace_sets_;
    History<std::uint32_t> namespace_history_;  // by machine and tid: index in namespace_sets_
    std::map<std::uint64_t, std::string> cgroups_;
    History<Machine> guests_;  // by event id, at all times
};

}  // namespace perfdata
