// SPDX-License-Identifier: MIT
// What was just asked about processes: samples of one process come in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/timeline/tasks.hpp"

namespace perfdata {

// RecentTasks gives the answers of Tasks, of which it remembers some with the addresses and times for which they hold.
// It belongs to one thread; the tasks must outlive it.
class RecentTasks {
  public:
    explicit RecentTasks(const Tasks& tasks) : tasks_(tasks), comms_(comms), mappings_(mappings) {}

    std::string_view comm_at(Tid tid, Time time, Machine machine = host) {
        const auto key = Tasks::key(machine, tid.value);
        auto& recent = comms_[place<comms>(key)];
        if (recent.key == key && recent.from <= time && time < recent.until) return recent.comm;
        return look_up_comm(recent, key, time);
    }

    const Mapping* mapping_at(Pid pid, Address address, Time time, Machine machine = host) {
        const auto key = Tasks::key(machine, pid.value);
        // What one process maps lies apart, but for libraries.
        auto& recent = mappings_[place<mappings>(key ^ (address.value >> 20) << 32)];
        if (recent.key == key && recent.begin <= address && address <= recent.last && recent.from <= time &&
            time < recent.until) {
            return recent.mapping;
        }
        return look_up_mapping(recent, key, pid, address, time, machine);
    }

    // kernel_mapping_at(address, time) is of the host.
    const Mapping* kernel_mapping_at(Address address, Time time) {
        if (kernel_.begin <= address && address <= kernel_.last && kernel_.from <= time && time < kernel_.until) {
            return kernel_.mapping;
        }
        return look_up_kernel_mapping(address, time);
    }

  private:
    static constexpr std::size_t comms = 128, mappings = 512;  // powers of two

    template <std::size_t size>
    static std::size_t place(std::uint64_t key) {
        return (key * 0x9e3779b97f4a7c15u) >> 32 & (size - 1);
    }

    struct Comm {
        std::uint64_t key = 0;
        Time from, until;  // at first of no time
        std::string_view comm;
    };
    struct Place {
        std::uint64_t key = 0;
        Address begin, last;
        Time from, until;  // at first of no time
        const Mapping* mapping = nullptr;
    };

    std::string_view look_up_comm(Comm& recent, std::uint64_t key, Time time);
    const Mapping* look_up_mapping(Place& recent, std::uint64_t key, Pid pid, Address address, Time time,
                                   Machine machine);
    const Mapping* look_up_kernel_mapping(Address address, Time time);

    const Tasks& tasks_;
    std::vector<Comm> comms_;
    std::vector<Place> mappings_;
    Place kernel_;
};

}  // namespace perfdata
