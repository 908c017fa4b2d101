// SPDX-License-Identifier: MIT
// The CPUs that events were counted on, and where these CPUs are in the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/annotate/stat/stat.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/cpu_map_data.hpp"

namespace perfdata {

// StatCpus is a set of CPUs in ascending order; -1, any, comes first. perf counts CPUs by their index in it.
class StatCpus {
  public:
    StatCpus() = default;
    // Takes at most so many bytes of memory as the record can name CPUs: some 500,000.
    explicit StatCpus(const CpuMapData& data);

    std::span<const std::int32_t> all() const { return cpus_; }
    std::size_t size() const { return cpus_.size(); }
    std::int32_t operator[](std::size_t index) const { return cpus_[index]; }
    // is_any() returns true if no CPU was chosen: the values are those of threads, wherever they ran.
    bool is_any() const { return cpus_.empty() || cpus_.front() == CpuMapData::any_cpu; }
    // index(cpu) returns its place in the set; empty if it is not in it. If no CPU was chosen, 0 is any.
    std::optional<std::uint32_t> index(std::int32_t cpu) const;

  private:
    std::vector<std::int32_t> cpus_;
};

// stat_cpu_count(data) returns how many CPUs a record names, before memory is taken for them.
std::size_t stat_cpu_count(const CpuMapData& data);

// stat_places(recording, mode, cpus, cache_level, problems) returns the place of each CPU as the mode tells them apart,
// from CPU_TOPOLOGY, NUMA_TOPOLOGY or CACHE. What the recording does not say is -1. The CPUs must ascend. cache_level:
// see StatOptions. Adds what is damaged or too large in these features to the problems.
std::vector<StatPlace> stat_places(const Recording& recording, StatMode mode, std::span<const std::int32_t> cpus,
                                   std::uint32_t cache_level, DiagnosticLog& problems);

// is_unplaced(mode, place) returns true if the recording does not say where the CPU is.
bool is_unplaced(StatMode mode, const StatPlace& place);

// StatGroups is the groups of CPUs that a mode adds up, in perf's order.
class StatGroups {
  public:
    // Member is a CPU of a set that belongs to a group.
    struct Member {
        std::uint32_t group = 0;
        std::uint32_t cpu = 0;  // index in the set

        auto operator<=>(const Member&) const = default;
    };

    StatGroups() = default;
    explicit StatGroups(std::span<const StatPlace> places);

    std::span<const StatPlace> places() const { return places_; }  // one of each group
    std::size_t size() const { return places_.size(); }
    // members(places) returns the CPUs of a set with these places: by group, then ascending. CPUs in none are left out.
    std::vector<Member> members(std::span<const StatPlace> places) const;

  private:
    std::vector<StatPlace> places_;
};

}  // namespace perfdata
