// SPDX-License-Identifier: MIT
// Sums over call chains: what places count with all they called, and the trees of their callers and callees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/annotate/report/report.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_place = ~std::uint32_t{0};

// TaskCalls is the chains of one task at a time, with what fell on each node: chains share the nodes of their outer
// callers, so a sum over nodes costs less than one over chains.
class TaskCalls {
  public:
    // columns: which cells of `counts` are wanted, in this order.
    TaskCalls(const SampleCounts& counts, const std::vector<std::size_t>& columns);

    std::size_t tasks() const { return begin_.size() - 1; }
    // load(task) must come before what follows.
    void load(std::uint32_t task);
    // touched() is the nodes of its chains, each once.
    std::span<const std::uint32_t> touched() const { return touched_; }
    bool holds(std::uint32_t node) const { return stamp_[node] == current_; }
    // self(node) is of chains that end there, sum(node) of all that pass it.
    std::span<const EventCount> self(std::uint32_t node) const { return cells(self_, node); }
    std::span<const EventCount> sum(std::uint32_t node) const { return cells(sum_, node); }

  private:
    std::span<const EventCount> cells(const std::vector<EventCount>& of, std::uint32_t node) const {
        return std::span(of).subspan(node * columns_.size(), columns_.size());
    }

    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    std::vector<std::uint32_t> rows_;   // numbers of rows of the counts, by task
    std::vector<std::uint32_t> begin_;  // by task: its first in rows_; one more at the end
    std::uint32_t current_ = 0;         // counts the calls of load()
    std::vector<std::uint32_t> stamp_;  // by node: the last load() that found it
    std::vector<std::uint32_t> touched_;
    std::vector<EventCount> self_, sum_;
};

// Callees is what each node calls: the first, and the next one of the same caller.
struct Callees {
    std::vector<std::uint32_t> first, next;  // by node
};
Callees callees_of(const SampleCounts& counts);

// outer_nodes(counts, place) is of each node the nearest caller of the same place, ChainNode::none if there is none. It
// costs the same for each node, however deep they are. place: by number of the frame; frames of no_place share one.
std::vector<std::uint32_t> outer_nodes(const SampleCounts& counts, const std::vector<std::uint32_t>& place);

// each_share(counts, columns, place, calls, take) calls take(task, place, self, total) so that all calls for one place
// of a task add up. place: by number of the frame; frames of no_place do not count. With `calls`, a total is of all
// that the place called, and a chain that passes it several times counts there once; if that is null, total is self.
template <class Take>
void each_share(const SampleCounts& counts, const std::vector<std::size_t>& columns,
                const std::vector<std::uint32_t>& place, TaskCalls* calls, Take&& take) {
    const auto chains = counts.chains();
    if (calls == nullptr) {
        const auto rows = counts.rows();
        EventCounts cells(columns.size());
        for (std::size_t number = 0; number < rows.size(); ++number) {
            const auto where = place[chains[rows[number].chain].frame];
            if (where == no_place) continue;
            const auto all = counts.cells(number);
            for (std::size_t column = 0; column < cells.size(); ++column) cells[column] = all[columns[column]];
            take(rows[number].task, where, std::span<const EventCount>(cells), std::span<const EventCount>(cells));
        }
        return;
    }
    const EventCounts none(columns.size());
    const auto outer = outer_nodes(counts, place);
    for (std::uint32_t task = 0; task < calls->tasks(); ++task) {
        calls->load(task);
        for (const auto node : calls->touched()) {
            const auto where = place[chains[node].frame];
            if (where == no_place) continue;
            take(task, where, calls->self(node),
                 outer[node] == ChainNode::none ? calls->sum(node) : std::span<const EventCount>(none));
        }
    }
}

class TreeGrower {
  public:
    // row_place, tree_place: by number of the frame. calls: of the same counts and columns. least: a branch needs as
    // many periods in one of the columns.
    TreeGrower(const SampleCounts& counts, const std::vector<std::size_t>& columns,
               const std::vector<std::uint32_t>& row_place, const std::vector<std::uint32_t>& tree_place,
               const EventCounts& least, const ReportOptions& options, TaskCalls& calls);

    // grow(rows) gives them their trees, until they have too many nodes together. They come by task.
    void grow(std::span<ReportRow* const> rows);
    // without() is how many rows have no tree for that reason.
    std::uint64_t without() const { return without_; }

  private:
    // Step is where a bundle of chains came by, on its way down to callees, up to callers, or along a path.
    struct Step {
        enum class Way : std::uint8_t { down, up, path };
        std::uint32_t place;
        std::uint32_t node;    // of a path: its place in paths_
        std::uint32_t weight;  // in weights_, in columns
        Way way;
    };

    void grow_task(std::span<ReportRow* const> rows);
    void grow_row(ReportRow& row, std::span<const std::uint32_t> nodes);
    void start_down(std::span<const std::uint32_t> nodes, std::vector<Step>& steps);
    void start_up(std::span<const std::uint32_t> nodes, std::vector<Step>& steps);
    void start_up_self(std::span<const std::uint32_t> nodes, std::vector<Step>& steps);
    void start_paths(std::span<const std::uint32_t> nodes, std::vector<Step>& steps);
    void branch(std::vector<Step>& steps, std::vector<ReportNode>& below);
    void follow(const Step& step, std::vector<Step>& next);
    std::uint32_t weigh(std::span<const EventCount> cells);
    std::uint32_t place_of(std::uint32_t node) const { return tree_place_[counts_.chains()[node].frame]; }
    std::uint32_t row_place_of(std::uint32_t node) const { return row_place_[counts_.chains()[node].frame]; }
    bool enough(std::span<const EventCount> cells) const;

    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    const std::vector<std::uint32_t>&row_place_, &tree_place_;
    const EventCounts& least_;
    const ReportOptions& options_;
    TaskCalls& calls_;
    const Callees callees_;
    const std::vector<std::uint32_t> outer_;  // see outer_nodes()
    std::vector<std::uint32_t> outermost_;    // by node: the outermost one of the same place, itself if it is that
    std::vector<EventCount> weights_;
    std::vector<std::uint32_t> paths_;  // nodes, outermost first; each path ends with ChainNode::none
    std::vector<EventCount> not_here_;  // by node and column: what its sum has that another branch shows
    std::vector<std::uint32_t> not_here_nodes_;
    std::size_t grown_ = 0;  // cells of all nodes of all trees
    std::uint64_t without_ = 0;
};

}  // namespace perfdata
