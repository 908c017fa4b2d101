// SPDX-License-Identifier: MIT
// Tasks of a profile, as samples have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/profile/sample_filter.hpp"

#include "recording/stored/model.hpp"
#include "timeline/stored_cgroups.hpp"

namespace perfdata {

// StoredTasks filters tasks of a model, which must outlive it.
class StoredTasks {
  public:
    using Row = stored::Ref<stored::Task>;

    explicit StoredTasks(const stored::Model& model) : model_(model), cgroups_(stored_cgroup_ids(model)) {}

    // Return the first part of the filter that rejects a task, or `none`. What stands for further tasks passes no part
    // that is not empty: nobody knows which they were.
    FilterPart drop_moment(const SampleFilter& filter, Row task) const {
        const auto& row = model_.at(task);
        const auto cpu = row.further || row.cpu == unknown ? std::nullopt : std::optional(row.cpu);
        return filter.drop_moment({}, cpu);
    }
    FilterPart drop_task(const SampleFilter& filter, Row task) const {
        const auto& row = model_.at(task);
        if (row.further) return filter.drop_task({{}, Pid{unknown}, Tid{unknown}, std::nullopt});
        const auto cgroup = row.cgroup ? std::optional(cgroups_[row.cgroup.number]) : std::nullopt;
        return filter.drop_task({comm(row), Pid{row.pid}, Tid{row.tid}, cgroup});
    }

    // task(options, task) returns the task as far as the options ask for it.
    SampledTask task(const SampleCountOptions& options, Row of) const {
        const auto& row = model_.at(of);
        if (row.further) return SampledTask::further();
        SampledTask task;
        if (options.by_pid) task.pid = Pid{row.pid};
        if (options.by_tid) task.tid = Tid{row.tid};
        if (options.by_comm) name(task, row);
        if (options.by_cpu) task.cpu = row.cpu;
        if (options.by_cgroup && row.cgroup) task.cgroup = cgroups_[row.cgroup.number];
        return task;
    }

  private:
    static constexpr std::uint32_t unknown = ~std::uint32_t{0};

    // Without a command a number is the name. A profile that has kept neither does not tell tasks apart.
    void name(SampledTask& task, const stored::Task& row) const {
        task.comm = comm(row);
        if (!task.comm.empty()) return;
        const bool by_number = model_.keeps(stored::Dimension::comm) || model_.keeps(stored::Dimension::tid);
        if (!by_number && !model_.keeps(stored::Dimension::pid)) {
            task.comm = "[all tasks]";
        } else {
            task.tid = Tid{by_number ? row.tid : row.pid};
        }
    }
    std::string_view comm(const stored::Task& row) const {
        return row.comm ? model_.text(row.comm) : std::string_view();
    }

    const stored::Model& model_;
    std::vector<std::uint64_t> cgroups_;  // ids
};

}  // namespace perfdata
