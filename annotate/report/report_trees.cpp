// SPDX-License-Identifier: MIT
#include "report_trees.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/core/parallel.hpp"

#include "report_sums.hpp"

namespace perfdata {
namespace {

using Rows = std::span<ReportRow* const>;  // of one task

// TreeThreads grows trees on threads: rows of a large task in turn, and several of the other tasks at a time. One
// thread alone with a large task would still be at it when the others have done the rest; and each task that is worked
// on needs the memory of its chains.
//
//      large task: chains summed up once       rows 1 4 5 ...   rows 2 3 6 ...
//      other tasks: each thread its own        task a, all rows  task b, all rows  ...
class TreeThreads {
  public:
    TreeThreads(const TreeGrower::Input& input, const StopToken& stop) : input_(input), stop_(stop) {}

    // Returns false, with no tree, if all trees together reach the limit of nodes: which ones have no room then depends
    // on their order.
    bool grow(std::span<const Rows> tasks, std::size_t threads) {
        for (std::size_t at = 0; at < threads; ++at) growers_.emplace_back(input_);
        std::vector<Rows> others;
        for (const auto task : tasks) {
            if (input_.rows.of(task.front()->task).size() * 2 * threads <= input_.counts.rows().size()) {
                others.push_back(task);
            } else if (has_room()) {
                grow_together(task);
            }
        }
        if (has_room()) grow_apart(others);
        if (has_room()) return true;
        for (const auto task : tasks) {
            for (auto* row : task) row->tree = {};
        }
        return false;
    }

    std::uint64_t small() const {
        std::uint64_t small = 0;
        for (const auto& grower : growers_) small += grower.small();
        return small;
    }

  private:
    // Of all trees together, as one thread would stop.
    bool has_room() const { return grown_ <= growers_.front().most(); }

    // Calls grow(grower), and counts what it grew.
    template <class Grow>
    void count(TreeGrower& grower, Grow&& grow) {
        const auto before = grower.grown();
        grow();
        grown_ += grower.grown() - before;
    }

    // Each row on a thread. The first grower has the task.
    void grow_together(Rows rows) {
        auto& first = growers_.front();
        first.start(rows);
        std::atomic<std::size_t> next = 0, growing = 0;
        on_threads(std::min(growers_.size(), rows.size()), [&] {
            auto& grower = growers_[growing++];
            for (auto at = next++; at < rows.size() && has_room(); at = next++) {
                if (stop_.stop_requested()) throw ReportStopped();
                count(grower, [&] { grower.grow_one(first, at); });
            }
        });
    }

    // Each task on a thread, which has the chains of its task for itself.
    void grow_apart(std::span<const Rows> tasks) {
        if (tasks.empty()) return;
        const auto threads = std::min(growers_.size(), tasks.size());
        std::deque<TaskCalls> calls;
        std::vector<TreeGrower*> growers;
        for (std::size_t at = 0; at < threads; ++at) {
            auto its = input_;
            if (at != 0 && its.task_calls != nullptr) {
                its.task_calls = &calls.emplace_back(input_.counts, input_.columns, input_.rows);
            }
            growers.push_back(&growers_.emplace_back(its));
        }
        std::atomic<std::size_t> next = 0, growing = 0;
        on_threads(threads, [&] {
            auto& grower = *growers[growing++];
            for (auto at = next++; at < tasks.size() && has_room(); at = next++) {
                if (stop_.stop_requested()) throw ReportStopped();
                count(grower, [&] { grower.grow(tasks[at]); });
            }
        });
    }

    const TreeGrower::Input& input_;
    const StopToken& stop_;
    std::deque<TreeGrower> growers_;  // a deque: they do not move
    std::atomic<std::size_t> grown_ = 0;
};

}  // namespace

void add_trees(const TreeGrower::Input& input, const StopToken& stop, Report& report) {
    TreeGrower grower(input);
    std::vector<ReportRow*> rows;
    for (auto& row : report.rows) {
        if (grower.row_is_enough(row)) rows.push_back(&row);
    }
    report.small_branches = report.rows.size() - rows.size();  // each is a branch that was left out
    // Group by task, most first within each: the limit of tree nodes may be reached.
    const auto most = [](const ReportRow* row) { return row->total.empty() ? 0 : ~row->total[0].periods; };
    std::ranges::stable_sort(rows, {}, [&](const ReportRow* row) { return std::pair(row->task, most(row)); });
    std::vector<Rows> tasks;
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        while (end < rows.size() && rows[end]->task == rows[begin]->task) ++end;
        tasks.push_back(Rows(rows).subspan(begin, end - begin));
    }
    constexpr std::size_t few = std::size_t{1} << 16;  // nodes
    if (const std::size_t threads = input.options.jobs; threads > 1 && input.counts.chains().size() >= few) {
        TreeThreads together(input, stop);
        if (together.grow(tasks, threads)) {
            report.small_branches += together.small();
            return;
        }
    }
    for (const auto task : tasks) {
        if (stop.stop_requested()) throw ReportStopped();
        grower.grow(task);
    }
    report.rows_without_tree = grower.without();
    report.small_branches += grower.small();
}

}  // namespace perfdata
