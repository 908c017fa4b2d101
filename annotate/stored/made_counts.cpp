// SPDX-License-Identifier: MIT
#include "made_counts.hpp"

#include <utility>

#include "format/load_once.hpp"

namespace perfdata {
namespace {

constexpr auto returns_mark = ChainNode::returns_mark;

// Returns how chains use each frame, by number.
std::vector<FrameUse> uses_of(const SampleCounts& counts) {
    std::vector<FrameUse> uses(counts.frames().size());
    const auto nodes = counts.chains();
    for (const auto& node : nodes) {
        uses[node.frame & ~returns_mark].in_chain = true;
        if (node.caller != ChainNode::none) uses[nodes[node.caller].frame & ~returns_mark].calls = true;
    }
    return uses;
}

}  // namespace

Result<CountedForProfile> count_for_profile(const Making& making) {
    const auto& symbolizer = making.symbolizer;
    CountedForProfile counted;
    SampleCountOptions counting;
    counting.by_comm = counting.by_pid = counting.by_tid = counting.by_cpu = counting.by_cgroup = true;
    counting.chains = true;
    counting.mark_returns = true;
    counting.max_stack = making.options.max_stack;
    counting.jit = &symbolizer.jit();
    counting.versions = &symbolizer.versions();
    counting.functions = &symbolizer.functions();
    counting.filter = making.options.filter;
    counting.stop = making.options.watch.stop;
    counting.progress = making.options.watch.progress;
    counting.each = [&counted](const CountedSample& sample) {
        const auto column = static_cast<std::uint32_t>(sample.column);
        counted.order.intern({sample.task, sample.chain, column});
        if (column >= counted.events.size()) counted.events.resize(column + std::size_t{1});
        if (sample.time) counted.events[column].note(*sample.time);
    };
    auto counts = SampleCounts::count(making.recording, symbolizer.timeline(), counting);
    if (!counts) return fail(std::move(counts.error()));
    counted.counts = std::move(*counts);
    counted.events.resize(counted.counts.events().size());
    return counted;
}

stored::Ref<stored::Task> MadeTasks::of(const SampledTask& task) {
    const auto number = tasks_.intern(task);
    if (number < rows_.size()) return rows_[number];
    stored::Task row;
    if (!task.comm.empty()) row.comm = making_.text(task.comm);
    row.pid = task.pid.value;
    row.tid = task.tid.value;
    row.cpu = task.cpu;
    if (task.cgroup != 0) row.cgroup = cgroup(task.cgroup);
    row.further = task.is_further();
    rows_.push_back(append_row(making_.model.tasks, row));
    return rows_.back();
}

stored::Ref<stored::Cgroup> MadeTasks::cgroup(std::uint64_t id) {
    const auto [entry, is_new] = cgroups_.try_emplace(id);
    if (!is_new) return entry->second;
    stored::Cgroup row;
    if (const auto path = making_.symbolizer.timeline().tasks().cgroup(id)) row.path = making_.text(*path);
    row.id = id;
    return entry->second = append_row(making_.model.cgroups, row);
}

Result<void> add_counts(Making& making, MadeFrames& frames, MadeTasks& tasks, CountedForProfile& counted,
                        const std::vector<stored::Ref<stored::Event>>& events) {
    const auto& counts = counted.counts;
    auto& model = making.model;
    LoadOnce load(making.symbolizer, CodeDetail::lines, {making.options.watch.stop, {}});
    const auto uses = uses_of(counts);
    std::vector<stored::Ref<stored::Frame>> frame_rows;
    frame_rows.reserve(uses.size());
    for (std::size_t number = 0; number < uses.size(); ++number) {
        const auto& frame = counts.frames()[number];
        if (making.stopped() || !load(frame)) return Making::cancelled();
        frame_rows.push_back(frames.of(frame, uses[number]));
    }
    frames.add_bytes_of_calls();
    const auto first_node = model.nodes.size();
    for (const auto& node : counts.chains()) {
        stored::Node row;
        if (node.caller != ChainNode::none) row.caller = stored::Ref<stored::Node>(first_node + node.caller);
        row.frame = frame_rows[node.frame & ~returns_mark];
        row.returns = (node.frame & returns_mark) != 0;
        model.nodes.push_back(row);
    }
    std::vector<stored::Ref<stored::Task>> task_rows;
    for (const auto& task : counts.tasks()) task_rows.push_back(tasks.of(task));
    for (std::size_t number = 0; number < counts.rows().size(); ++number) {
        const auto& row = counts.rows()[number];
        counts.each_cell(number, [&](std::size_t column, const EventCount& count) {
            stored::Cell cell;
            cell.task = task_rows[row.task];
            cell.node = stored::Ref<stored::Node>(first_node + row.chain);
            cell.event = events[column];
            cell.hits = count.hits;
            cell.periods = count.periods;
            cell.order = counted.order.intern({row.task, row.chain, static_cast<std::uint32_t>(column)});
            model.cells.push_back(cell);
        });
    }
    return {};
}

}  // namespace perfdata
