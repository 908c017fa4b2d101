// SPDX-License-Identifier: MIT
// The rows of a round: values added up as the mode asks, with what is derived of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/annotate/stat/stat.hpp"

#include "stat_counters.hpp"
#include "stat_cpus.hpp"
#include "stat_metrics.hpp"

namespace perfdata {

// StatEventCpus is the CPUs of an event, and which group of the mode each belongs to.
struct StatEventCpus {
    StatCpus cpus;
    std::vector<StatGroups::Member> members;        // by group; empty in modes without groups
    std::vector<std::uint32_t> groups;              // of each CPU; no_group: none
    static constexpr std::uint32_t no_group = ~0u;  // of a CPU that the recording did not count on as a whole

    // in_group(group) returns the members of one group, with a search.
    std::span<const StatGroups::Member> in_group(std::uint32_t group) const;
};

// StatRows makes the rows of all rounds, in order. Each round costs its rows and its values, with a search each.
class StatRows {
  public:
    // All must outlive it. `cpus` has the CPUs of each event, as an index in `sets`.
    struct Input {
        const StatFacts& facts;
        const StatCounters& counters;
        std::span<const StatRole> roles;
        std::span<const StatEventCpus> sets;
        std::span<const std::uint32_t> cpus;
        const StatGroups& groups;
    };
    explicit StatRows(const Input& input);

    // count() returns how many rows each round has.
    std::uint64_t count() const { return count_; }
    // make() returns the rows of the round that the counters are in. facts.elapsed must be set.
    std::vector<StatRow> make();

  private:
    using Deltas = std::span<const StatDelta>;

    bool has_groups() const;
    std::uint32_t events() const { return static_cast<std::uint32_t>(input_.facts.events.size()); }
    const StatEventCpus& cpus_of(std::uint32_t event) const { return input_.sets[input_.cpus[event]]; }
    static Deltas of_event(Deltas deltas, std::uint32_t event);
    static const StatDelta* find(Deltas of_event, std::uint32_t cpu, std::uint32_t thread);
    // Returns the first CPU of the event that is in the group: what is derived is kept by it.
    std::uint32_t first_in(std::uint32_t event, std::uint32_t group) const;

    void count_global();
    void count_cpus(Deltas deltas);
    void count_groups(Deltas deltas);
    void count_threads(Deltas deltas);
    std::vector<StatRow> global();
    std::vector<StatRow> by_cpu(Deltas deltas);
    std::vector<StatRow> by_group(Deltas deltas);
    std::vector<StatRow> by_thread(Deltas deltas);
    // Adds up the CPUs of a group. One that did not count makes the row one that has no value.
    StatRow add_up(std::uint32_t event, std::uint32_t group, Deltas of_event) const;
    void finish(StatRow& row, std::uint32_t place) const;
    bool scales() const { return input_.facts.scales; }

    Input input_;
    std::uint64_t count_ = 0;
    StatMetrics metrics_;
};

}  // namespace perfdata
