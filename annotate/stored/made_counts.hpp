// SPDX-License-Identifier: MIT
// The samples of a profile: tasks, chains and cells.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_counts.hpp"

#include "made_events.hpp"
#include "made_frames.hpp"
#include "making.hpp"

namespace perfdata {

// CountedForProfile is the counts with what they do not keep themselves.
struct CountedForProfile {
    // Seen is a cell that has samples.
    struct Seen {
        std::uint32_t task = 0, chain = 0, column = 0;

        bool operator==(const Seen&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{task} << 32 | chain, column); }
    };

    SampleCounts counts;
    InternTable<Seen> order;         // numbers are the order of first samples. As many as cells: Limits::cells
    std::vector<EventTimes> events;  // by column
};

// count_for_profile(making) counts with everything that tells samples apart. Errors: cancelled, out_of_memory.
Result<CountedForProfile> count_for_profile(const Making& making);

// MadeTasks adds tasks: no more than the counting keeps.
class MadeTasks {
  public:
    explicit MadeTasks(Making& making) : making_(making) {}

    stored::Ref<stored::Task> of(const SampledTask& task);

  private:
    stored::Ref<stored::Cgroup> cgroup(std::uint64_t id);

    Making& making_;
    InternTable<SampledTask> tasks_;
    std::vector<stored::Ref<stored::Task>> rows_;  // by number in tasks_
    std::map<std::uint64_t, stored::Ref<stored::Cgroup>> cgroups_;
};

// add_counts(making, frames, tasks, counted, events) adds frames, chains, tasks and cells. Errors: cancelled.
Result<void> add_counts(Making& making, MadeFrames& frames, MadeTasks& tasks, CountedForProfile& counted,
                        const std::vector<stored::Ref<stored::Event>>& events);

}  // namespace perfdata
