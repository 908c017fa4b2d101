// SPDX-License-Identifier: MIT
#include "marked_chains.hpp"

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace perfdata {
namespace {

constexpr auto no_node = ChainNode::none;

// Returns for each node the outermost (or innermost) node whose frame is marked, among itself and its callers.
template <class Marked>
std::vector<std::uint32_t> marked_nodes(std::span<const ChainNode> chains, bool outermost, Marked marked) {
    std::vector<std::uint32_t> found(chains.size(), no_node);
    // Callers precede their callees.
    for (std::uint32_t node = 0; node < chains.size(); ++node) {
        const auto above = chains[node].caller == no_node ? no_node : found[chains[node].caller];
        const bool own = marked(chains[node].frame) && (above == no_node || !outermost);
        found[node] = own ? node : above;
    }
    return found;
}

// Returns the name of each frame's parent. Equal names have equal data().
std::vector<std::string_view> parent_names(const SampleCountOptions& options, std::span<const Frame> frames) {
    std::vector<std::string_view> names;
    names.reserve(frames.size());
    std::set<std::string_view> distinct;  // log n each
    for (const auto& frame : frames) {
        const auto name = options.parent(frame);
        names.push_back(name.empty() ? std::string_view() : *distinct.insert(name).first);
    }
    return names;
}

}  // namespace

void mark_chains(const SampleCountOptions& options, std::span<const ChainNode> chains, std::span<const Frame> frames,
                 std::size_t columns, InternTable<SampledTask>& tasks, RowTable& rows) {
    if (!options.parent && !options.ignore_callees) return;
    std::vector<std::string_view> names;
    std::vector<std::uint32_t> parents, ends;  // by node
    if (options.parent) {
        names = parent_names(options, frames);
        parents =
            marked_nodes(chains, options.outermost_parent, [&](std::uint32_t frame) { return !names[frame].empty(); });
    }
    if (options.ignore_callees) {
        std::vector<bool> ignored;
        ignored.reserve(frames.size());
        for (const auto& frame : frames) ignored.push_back(options.ignore_callees(frame));
        ends = marked_nodes(chains, true, [&](std::uint32_t frame) { return ignored[frame]; });
    }
    InternTable<SampledTask> marked_tasks;
    RowTable marked(columns);
    std::vector<std::uint32_t> numbers;  // in `marked`, by row
    numbers.reserve(rows.rows().size());
    for (std::uint32_t number = 0; number < rows.rows().size(); ++number) {
        auto row = rows.rows()[number];
        auto task = tasks[row.task];
        if (options.parent && parents[row.chain] != no_node) task.parent = names[chains[parents[row.chain]].frame];
        if (options.ignore_callees && ends[row.chain] != no_node) row.chain = ends[row.chain];
        row.task = marked_tasks.intern(task);
        numbers.push_back(marked.number(row));
    }
    rows.cells().each(
        [&](std::uint32_t row, std::size_t column, const EventCount& cell) { marked.add(numbers[row], column, cell); });
    tasks = std::move(marked_tasks);
    rows = std::move(marked);
}

}  // namespace perfdata
