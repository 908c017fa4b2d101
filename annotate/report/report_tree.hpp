// SPDX-License-Identifier: MIT
// The trees of callers and callees below the rows of a report.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/annotate/report/report.hpp"

#include "report_calls.hpp"

namespace perfdata {

// TreeGrower grows the trees of the rows that reach the limit. It adds at most 8 bytes for each node of a task to what
// SharedCalls has, and what a row's own chains need while its tree grows.
class TreeGrower {
  public:
    // Input is what trees are made of. All must outlive the grower.
    struct Input {
        const SampleCounts& counts;
        const std::vector<std::size_t>& columns;                  // the wanted cells of `counts`
        const std::vector<std::uint32_t>&row_place, &tree_place;  // by number of the frame
        // A branch needs so many periods in at least one column, unless the style is fractal.
        const EventCounts& least;
        const ReportOptions& options;
        std::size_t most_nodes;  // Limits::chain_nodes
        const TaskRows& rows;
        // Of the same counts, columns and row_place; null if the options do not count children.
        const SharedCalls* calls;
        TaskCalls* task_calls;  // likewise; of the growers of one task's rows alone
        // Rows have all places that reach `least` in their tasks: what no row has is small.
        bool rows_are_complete;
    };
    explicit TreeGrower(const Input& input);

    // grow(rows) adds trees until all together have too many nodes. Rows must be enough, and grouped by task.
    void grow(std::span<ReportRow* const> rows);
    // start(rows) and grow_one(started, number) are the same for the rows of one task, row by row: with what `started`
    // has found of them, which may be another grower with the same input. Several may grow rows of one at a time.
    void start(std::span<ReportRow* const> rows);
    void grow_one(const TreeGrower& started, std::size_t number);
    // row_is_enough(row) returns true if its tree may have a branch: the others need not be given to grow().
    bool row_is_enough(const ReportRow& row) const;
    // without() returns the number of rows without a tree for that reason.
    std::uint64_t without() const { return without_; }
    // small() returns the number of branches left out because they are below the limit.
    std::uint64_t small() const { return small_; }
    // grown() returns the number of cells of all trees so far, and most() the number after which no tree grows.
    std::size_t grown() const { return grown_; }
    std::size_t most() const { return most_grown_; }

  private:
    // Step is the position of a set of chains on the way down to callees, up to callers, or along a path.
    struct Step {
        enum class Way : std::uint8_t {
            down,       // all samples that pass the node
            down_less,  // without those that another branch shows
            up,
            path
        };
        std::uint32_t place;
        std::uint32_t node;    // for a path: index in paths_
        std::uint32_t weight;  // in weights_, in columns; for `down` the node's index in the task
        Way way;
    };

    // Growing is a row whose tree grows, with its nodes and the rows of the counts that end in it, as ranges of
    // Started::nodes and Started::ends.
    struct Growing {
        ReportRow* row;
        std::uint32_t nodes_begin = 0, nodes_end = 0, ends_begin = 0, ends_end = 0;
    };
    // Started is the current task. Growers of its rows only read it.
    struct Started {
        std::uint64_t number = 0;  // of the tasks so far
        std::vector<Growing> growing;
        std::vector<std::uint32_t> growing_of;  // by place: its number in `growing`, or no_place
        std::vector<std::uint32_t> nodes;       // by row that grows: its nodes. Empty without calls_
        std::vector<std::uint32_t> ends;        // by row that grows: rows of the counts
    };

    void find_nodes(std::uint32_t task);
    void grow_row(const Growing& growing);
    bool grow_tree(const Growing& growing);
    void start_down(const Growing& growing, std::vector<Step>& steps);
    void start_up(const Growing& growing, std::vector<Step>& steps);
    void start_up_self(const Growing& growing, std::vector<Step>& steps);
    void start_paths(const Growing& growing, std::vector<Step>& steps);
    void branch(std::vector<Step>& steps, std::vector<ReportNode>& below);
    std::span<const EventCount> cells_of(const Step& step) const {
        if (step.way == Step::Way::down) return tasks_->sum_at(step.weight);
        return std::span(weights_).subspan(step.weight, columns_.size());
    }
    // Adds the cells of the steps.
    void sum_into(EventCounts& sum, std::span<const Step> steps) const;
    // least_of(cells) returns the limit for branches that `cells` continue in.
    EventCounts least_of(const EventCounts& cells) const;
    // follow(step, next, small) adds the next steps, or for callees that cannot become a branch their samples to small.
    void follow(const Step& step, std::vector<Step>& next, EventCounts& small);
    bool is_small(std::uint32_t place) const {
        const auto& growing_of = task_->growing_of;
        return prunes_ && (place >= growing_of.size() || growing_of[place] == no_place);
    }
    // ends(row) returns the wanted cells of a row of the counts, valid until it is called again.
    std::span<const EventCount> ends(std::uint32_t row);
    std::uint32_t end_of(std::uint32_t row) const { return counts_.rows()[row].chain; }
    void note_elsewhere(std::uint32_t node, std::span<const EventCount> cells);
    // down(node, index, place, steps) adds the samples that pass the node, without what another branch shows.
    void down(std::uint32_t node, std::uint32_t index, std::uint32_t place, std::vector<Step>& steps);
    bool is_elsewhere(std::uint32_t index) const { return !elsewhere_.empty() && elsewhere_of_[index] != 0; }
    void subtract_elsewhere(std::uint32_t index, std::span<EventCount> from) const;
    void forget_elsewhere();
    std::uint32_t weigh(std::span<const EventCount> cells);
    std::uint32_t place_of(std::uint32_t node) const { return tree_place_[counts_.chains()[node].frame]; }
    std::uint32_t row_place_of(std::uint32_t node) const { return row_place_[counts_.chains()[node].frame]; }
    static bool enough(std::span<const EventCount> cells, const EventCounts& least);

    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    const std::vector<std::uint32_t>&row_place_, &tree_place_;
    const EventCounts& least_;
    const ReportOptions& options_;
    const TaskRows& rows_;
    const SharedCalls* calls_;  // null: only the samples of the rows themselves matter
    TaskCalls* tasks_;          // likewise
    bool can_prune_;            // rows say which places cannot become a branch
    bool prunes_ = false;
    Started started_;                // by start()
    const Started* task_ = nullptr;  // of the current row: this grower's or another's
    std::uint64_t task_number_ = 0;  // its number then
    // By index in the task: 1 + the number of the node's cells in elsewhere_, 0: none. Empty until one has some.
    std::vector<std::uint32_t> elsewhere_of_;
    // Of the current row.
    std::vector<std::uint32_t> elsewhere_nodes_;  // by index in the task
    std::vector<EventCount> elsewhere_;           // the part of a node's sum that another branch shows
    std::vector<EventCount> weights_;
    std::vector<std::uint32_t> paths_;  // nodes, outermost first; each path ends with ChainNode::none
    std::vector<std::uint32_t> seen_;   // by place: the last branching with a small callee of it
    std::uint32_t branching_ = 0;
    EventCounts cells_, small_cells_, group_cells_;  // scratch
    std::size_t grown_ = 0;                          // cells of all nodes of all trees
    std::size_t most_grown_;
    std::uint64_t without_ = 0, small_ = 0;
};

}  // namespace perfdata
