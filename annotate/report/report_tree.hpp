// SPDX-License-Identifier: MIT
// Sums over call chains: totals of places with their callees, and the trees of callers and callees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/annotate/report/report.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_place = ~std::uint32_t{0};

// TaskCalls holds the chains of one task at a time with the counts of each node. Chains share the nodes of their outer
// callers, so a sum over nodes costs less than one over chains.
class TaskCalls {
  public:
    // columns: the wanted cells of `counts`, in this order.
    TaskCalls(const SampleCounts& counts, const std::vector<std::size_t>& columns);

    std::size_t tasks() const { return begin_.size() - 1; }
    // Call load(task) before the functions below.
    void load(std::uint32_t task);
    // touched() returns the nodes of the task's chains, each once.
    std::span<const std::uint32_t> touched() const { return touched_; }
    bool holds(std::uint32_t node) const { return stamp_[node] == current_; }
    // ends(node) counts the chains that end there, sum(node) all that pass it, and self(node) those in which the node
    // is the sampled function: they end there or in what was inlined into it. each_end(node, visit) visits these ends.
    std::span<const EventCount> ends(std::uint32_t node) const { return cells(ends_, node); }
    std::span<const EventCount> self(std::uint32_t node) const { return cells(inlined_ ? self_ : ends_, node); }
    template <class Visit>
    void each_end(std::uint32_t node, Visit&& visit) const {
        if (!inlined_) {
            if (hits(ends(node)) != 0) visit(node);
            return;
        }
        for (auto end = first_end_[node]; end != ChainNode::none; end = next_end_[end]) visit(end);
    }
    std::span<const EventCount> sum(std::uint32_t node) const { return cells(sum_, node); }

  private:
    std::span<const EventCount> cells(const std::vector<EventCount>& of, std::uint32_t node) const {
        return std::span(of).subspan(node * columns_.size(), columns_.size());
    }

    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    std::vector<std::uint32_t> rows_;   // row numbers of the counts, by task
    std::vector<std::uint32_t> begin_;  // by task: its first index in rows_; one more at the end
    std::uint32_t current_ = 0;         // number of calls of load()
    std::vector<std::uint32_t> stamp_;  // by node: the last load() that found it
    std::vector<std::uint32_t> touched_;
    std::vector<EventCount> ends_, sum_;
    bool inlined_;  // false: chains end in the sampled function, and the next three are empty
    std::vector<EventCount> self_;
    std::vector<std::uint32_t> first_end_, next_end_;  // by sampled node, and by end: the task's chains
};

// Callees lists each node's callees: the first, then the next of the same caller.
struct Callees {
    std::vector<std::uint32_t> first, next;  // by node
};
Callees callees_of(const SampleCounts& counts);

// outer_nodes(counts, place) returns for each node the nearest caller of the same place, or ChainNode::none. The cost
// per node does not depend on the depth. place: by number of the frame; all frames of no_place share one.
std::vector<std::uint32_t> outer_nodes(const SampleCounts& counts, const std::vector<std::uint32_t>& place);

// each_share(counts, columns, place, calls, take) calls take(task, place, self, total), several times for one task and
// place: the caller adds up. place: by number of the frame; frames of no_place do not count. With `calls`, a total
// includes callees, and a recursive chain counts once. Without (null), total equals self.
template <class Take>
void each_share(const SampleCounts& counts, const std::vector<std::size_t>& columns,
                const std::vector<std::uint32_t>& place, TaskCalls* calls, Take&& take) {
    const auto chains = counts.chains();
    if (calls == nullptr) {
        const auto rows = counts.rows();
        EventCounts cells(columns.size());
        for (std::size_t number = 0; number < rows.size(); ++number) {
            const auto where = place[chains[counts.sampled(rows[number].chain)].frame];
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
    // row_place, tree_place: by number of the frame. calls: for the same counts and columns. least: a branch needs so
    // many periods in at least one column, unless the style is fractal. most_nodes: Limits::chain_nodes.
    TreeGrower(const SampleCounts& counts, const std::vector<std::size_t>& columns,
               const std::vector<std::uint32_t>& row_place, const std::vector<std::uint32_t>& tree_place,
               const EventCounts& least, const ReportOptions& options, std::size_t most_nodes, TaskCalls& calls);

    // grow(rows) adds trees until all together have too many nodes. Rows must be grouped by task.
    void grow(std::span<ReportRow* const> rows);
    // without() returns the number of rows without a tree for that reason.
    std::uint64_t without() const { return without_; }
    // small() returns the number of branches left out because they are below the limit.
    std::uint64_t small() const { return small_; }

  private:
    // Step is the position of a set of chains on the way down to callees, up to callers, or along a path.
    struct Step {
        enum class Way : std::uint8_t { down, up, path };
        std::uint32_t place;
        std::uint32_t node;    // for a path: index in paths_
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
    EventCounts sum_of(std::span<const Step> steps) const;
    // least_of(cells) returns the limit for branches that `cells` continue in.
    EventCounts least_of(const EventCounts& cells) const;
    void follow(const Step& step, std::vector<Step>& next);
    std::uint32_t weigh(std::span<const EventCount> cells);
    std::uint32_t place_of(std::uint32_t node) const { return tree_place_[counts_.chains()[node].frame]; }
    std::uint32_t row_place_of(std::uint32_t node) const { return row_place_[counts_.chains()[node].frame]; }
    static bool enough(std::span<const EventCount> cells, const EventCounts& least);
    bool row_is_enough(const ReportRow& row) const;

    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    const std::vector<std::uint32_t>&row_place_, &tree_place_;
    const EventCounts& least_;
    const ReportOptions& options_;
    TaskCalls& calls_;
    const Callees callees_;
    const std::vector<std::uint32_t> outer_;  // see outer_nodes()
    std::vector<std::uint32_t> outermost_;    // by node: the outermost of the same place, or itself
    std::vector<EventCount> weights_;
    std::vector<std::uint32_t> paths_;  // nodes, outermost first; each path ends with ChainNode::none
    std::vector<EventCount> not_here_;  // by node and column: the part of its sum that another branch shows
    std::vector<std::uint32_t> not_here_nodes_;
    std::size_t grown_ = 0;  // cells of all nodes of all trees
    std::size_t most_grown_;
    std::uint64_t without_ = 0, small_ = 0;
};

}  // namespace perfdata
