// SPDX-License-Identifier: MIT
// A cache of recent lookups in Tasks: samples of one process come in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/timeline/tasks.hpp"

namespace perfdata {

// Lasting is the times for which an answer holds. At first there are none.
struct Lasting {
    Time from;   // the first of them
    Time until;  // the first one behind them

    // Returns true if the answer holds then.
    bool contains(Time time) const { return from <= time && time < until; }
    // Returns the times for which both hold.
    Lasting within(const Lasting& other) const { return {greatest(from, other.from), least(until, other.until)}; }
};

// RecentTasks answers like Tasks and remembers some of the answers with the addresses and times for which they hold. It
// belongs to one thread; the tasks must outlive it.
class PERFDATA_EXPORT RecentTasks {
  public:
    // Starts with nothing remembered.
    explicit RecentTasks(const Tasks& tasks)
        : tasks_(tasks), comms_(comms), starts_(starts), mappings_(mappings), gaps_(starts) {}

    // comm_at(tid, time) is Tasks::comm_at().
    std::string_view comm_at(Tid tid, Time time, Machine machine = host) {
        const auto key = Tasks::key(machine, tid.value);
        auto& recent = comms_[place<comms>(key)];
        if (recent.key == key && recent.from <= time && time < recent.until) return recent.comm;
        return look_up_comm(recent, key, time);
    }

    // mapping_at(pid, address, time) is Tasks::mapping_at(). It also says when that holds, or when at least, if it is
    // asked to.
    const Mapping* mapping_at(Pid pid, Address address, Time time, Machine machine = host, Lasting* holds = nullptr) {
        const auto key = Tasks::key(machine, pid.value);
        // The mappings of one process are far apart, except for libraries. Chains contain many unmapped addresses.
        auto& recent = mappings_[place<mappings>(key ^ (address.value >> 20) << 32)];
        if (recent.holds(key, address, time)) {
            if (holds != nullptr) *holds = recent.lasting;
            return recent.mapping;
        }
        if (const auto& gap = gaps_[place<starts>(key)]; gap.holds(key, address, time)) {
            if (holds != nullptr) *holds = gap.lasting;
            return nullptr;
        }
        return look_up_mapping(recent, key, address, time, machine, holds);
    }

    // knows(pid, time) is Tasks::knows().
    bool knows(Pid pid, Time time, Machine machine = host) {
        return start_at(Tasks::key(machine, pid.value), time).known;
    }
    // exec_at(pid, time) is Tasks::exec_at().
    std::optional<Time> exec_at(Pid pid, Time time, Machine machine = host) {
        const auto& start = start_at(Tasks::key(machine, pid.value), time);
        return start.exec ? std::optional(start.from) : std::nullopt;
    }

    // kernel_mapping_at(address, time) is for the host.
    const Mapping* kernel_mapping_at(Address address, Time time) {
        if (kernel_.holds(0, address, time)) return kernel_.mapping;
        return look_up_kernel_mapping(address, time);
    }

  private:
    // Each key has one slot: keys chosen to collide cost one search in Tasks each, which is O(log n).
    static constexpr std::size_t comms = 128, starts = 128, mappings = 512;  // powers of two

    template <std::size_t size>
    static std::size_t place(std::uint64_t key) {
        return (key * 0x9e3779b97f4a7c15u) >> 32 & (size - 1);
    }

    struct Comm {
        std::uint64_t key = 0;
        Time from, until;  // initially an empty period
        std::string_view comm;
    };
    struct Place {
        std::uint64_t key = 0;
        Address begin, last;
        Lasting lasting;
        const Mapping* mapping = nullptr;  // null: nothing is mapped there

        bool holds(std::uint64_t of, Address address, Time time) const {
            return key == of && begin <= address && address <= last && lasting.contains(time);
        }
    };
    struct Start {
        std::uint64_t key = 0;
        Time from, until;  // initially an empty period
        bool known = false, exec = false;
        SpaceIndex space = AddressSpaces::none;
    };

    std::string_view look_up_comm(Comm& recent, std::uint64_t key, Time time);
    const Mapping* look_up_mapping(Place& recent, std::uint64_t key, Address address, Time time, Machine machine,
                                   Lasting* holds);
    const Mapping* look_up_kernel_mapping(Address address, Time time);

    const Start& start_at(std::uint64_t key, Time time) {
        auto& recent = starts_[place<starts>(key)];
        if (recent.key != key || time < recent.from || time >= recent.until) look_up_start(recent, key, time);
        return recent;
    }
    void look_up_start(Start& recent, std::uint64_t key, Time time);

    const Tasks& tasks_;
    std::vector<Comm> comms_;
    std::vector<Start> starts_;
    std::vector<Place> mappings_;
    std::vector<Place> gaps_;  // one per process
    Place kernel_;
};

}  // namespace perfdata
