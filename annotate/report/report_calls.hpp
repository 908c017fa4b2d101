// SPDX-License-Identifier: MIT
// Sums over the call chains of one task at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_place = ~std::uint32_t{0};

// TaskRows lists the rows of the counts by task. 4 bytes a row, and a task.
class TaskRows {
  public:
    explicit TaskRows(const SampleCounts& counts);

    std::uint32_t tasks() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
    // Returns the numbers of the task's rows, in order.
    std::span<const std::uint32_t> of(std::uint32_t task) const {
        return std::span(rows_).subspan(begin_[task], begin_[task + 1] - begin_[task]);
    }
    std::size_t bytes() const { return (rows_.capacity() + begin_.capacity()) * sizeof(std::uint32_t); }

  private:
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> begin_;  // by task: its first index in rows_; one more at the end
};

// Callees finds the callees of nodes. Nine of ten nodes lie right behind their caller, since chains are numbered as
// they appear: these need no memory. 8 bytes for each other one, and 1.5 bits for each node of all.
class Callees {
  public:
    explicit Callees(std::span<const ChainNode> chains);

    // Calls visit(callee) for each callee of the node, at the cost of a search among the others.
    template <class Visit>
    void each(std::uint32_t node, Visit&& visit) const {
        if (follows(node)) visit(node + 1);
        if ((has_others_[node / block] >> node % block & 1) == 0) return;
        for (auto at = first_of(node); at < others_.size() && caller(at) == node; ++at) visit(callee(at));
    }
    // Returns true if the next node is a callee of this one.
    bool follows(std::uint32_t node) const {
        return node + std::size_t{1} < chains_.size() && chains_[node + 1].caller == node;
    }
    // The others are in order of their callers. first_of(node) is the first one whose caller is not before the node.
    std::size_t first_of(std::uint32_t node) const;
    std::uint32_t caller(std::size_t other) const { return static_cast<std::uint32_t>(others_[other] >> 32); }
    std::uint32_t callee(std::size_t other) const { return static_cast<std::uint32_t>(others_[other]); }
    std::size_t bytes() const {
        return (others_.capacity() + has_others_.capacity()) * sizeof(std::uint64_t) +
               begin_.capacity() * sizeof(std::uint32_t);
    }

  private:
    static constexpr std::uint32_t block = 64;  // nodes

    std::span<const ChainNode> chains_;
    std::vector<std::uint64_t> others_;      // caller << 32 | callee
    std::vector<std::uint64_t> has_others_;  // a bit by node: most have none, which ends the search
    // By block of nodes: the first of others_ that is not of a caller before it; one more at the end. It leaves few to
    // search.
    std::vector<std::uint32_t> begin_;
};

// Outer is which of the callers of the same place outer_nodes() returns.
enum class Outer : std::uint8_t { nearest, outermost };

// outer_nodes(chains, callees, place, which) returns for each node that caller of the same place, or ChainNode::none if
// it has none. 4 bytes a node; the time per node does not depend on the depth. place: by number of the frame; all
// frames of no_place share one.
std::vector<std::uint32_t> outer_nodes(std::span<const ChainNode> chains, const Callees& callees,
                                       std::span<const std::uint32_t> place, Outer which);

// TaskCalls holds the chains of one task at a time, with the sum of the samples that pass each node. Chains share the
// nodes of their outer callers, so a sum over nodes costs less than one over chains.
//
// 16 bytes a column for each node of the largest task, and 3 bits for each node of all. Nodes of a task have indices in
// the order of their numbers: sums of callees are added to callers from the last to the first, in adjacent memory.
class TaskCalls {
  public:
    // columns: the wanted cells of `counts`, in this order. All must outlive it.
    TaskCalls(const SampleCounts& counts, const std::vector<std::size_t>& columns, const TaskRows& rows);

    // load(task, touch) forgets the task before. Calls touch(node) once for each node of the task's chains: in the
    // order of rows, and in a chain from the innermost on. All below is of this task.
    template <class Touch>
    void load(std::uint32_t task, Touch&& touch) {
        for (const auto word : words_) held_[word] = 0;
        words_.clear();
        const auto chains = counts_.chains();
        for (const auto row : rows_.of(task)) {
            for (auto node = counts_.rows()[row].chain; node != ChainNode::none; node = chains[node].caller) {
                auto& word = held_[node / 64];
                const auto bit = std::uint64_t{1} << node % 64;
                if ((word & bit) != 0) break;
                if (word == 0) words_.push_back(node / 64);
                word |= bit;
                touch(node);
            }
        }
        sum_up(task);
    }
    void load(std::uint32_t task) {
        load(task, [](std::uint32_t) {});
    }

    bool holds(std::uint32_t node) const { return (held_[node / 64] >> node % 64 & 1) != 0; }
    std::size_t size() const { return size_; }  // number of nodes
    // sum_at(index) is that of the node with this index.
    std::span<const EventCount> sum_at(std::size_t index) const {
        return std::span(sum_).subspan(index * columns_.size(), columns_.size());
    }
    // index(node) returns the rank of a node that it holds.
    std::uint32_t index(std::uint32_t node) const {
        const auto below = held_[node / 64] & ((std::uint64_t{1} << node % 64) - 1);
        return rank_[node / 64] + static_cast<std::uint32_t>(std::popcount(below));
    }
    // sum(node) counts all samples that pass a node that it holds.
    std::span<const EventCount> sum(std::uint32_t node) const { return sum_at(index(node)); }
    // each(visit) calls visit(node, sum) in the order of the nodes.
    template <class Visit>
    void each(Visit&& visit) const {
        std::uint32_t index = 0;
        for (const auto word : words_) {
            for (auto left = held_[word]; left != 0; left &= left - 1) {
                visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)), sum_at(index++));
            }
        }
    }
    std::size_t bytes() const {
        return held_.capacity() * sizeof(held_[0]) + (rank_.capacity() + words_.capacity()) * sizeof(rank_[0]) +
               sum_.capacity() * sizeof(EventCount);
    }

  private:
    void sum_up(std::uint32_t task);

    const SampleCounts& counts_;
    const std::vector<std::size_t>& columns_;
    const TaskRows& rows_;
    std::vector<std::uint64_t> held_;  // a bit by node
    std::vector<std::uint32_t> rank_;  // by word of held_: the index of its first node
    std::vector<std::uint32_t>
        words_;  // those of held_ that are not 0, in order: tasks may be many, and have few nodes
    std::size_t size_ = 0;
    std::vector<EventCount> sum_;  // by index and column
};

// SharedCalls is what rows and trees need to count callees. 4 bytes for each node, and that of TaskCalls and Callees.
struct SharedCalls {
    // all_callees: of all chains. row_place: by number of the frame. What is referred to must outlive it.
    SharedCalls(Callees all_callees, const SampleCounts& counts, const std::vector<std::size_t>& columns,
                const TaskRows& rows, std::span<const std::uint32_t> row_place, Outer which)
        : callees(std::move(all_callees)),
          outer(outer_nodes(counts.chains(), callees, row_place, which)),
          tasks(counts, columns, rows) {}

    Callees callees;
    std::vector<std::uint32_t> outer;  // see outer_nodes()
    TaskCalls tasks;
};

}  // namespace perfdata
