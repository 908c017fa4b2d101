// SPDX-License-Identifier: MIT
#include "report_calls.hpp"

#include <algorithm>
#include <utility>

namespace perfdata {
namespace {

constexpr auto no_caller = ChainNode::none;

}  // namespace

TaskRows::TaskRows(const SampleCounts& counts) : rows_(counts.rows().size()), begin_(counts.tasks().size() + 1) {
    const auto rows = counts.rows();
    for (const auto& row : rows) ++begin_[row.task];
    for (std::uint32_t sum = 0; auto& begin : begin_) begin = sum += begin;
    for (auto number = static_cast<std::uint32_t>(rows.size()); number-- != 0;)
        rows_[--begin_[rows[number].task]] = number;
}

Callees::Callees(std::span<const ChainNode> chains) : chains_(chains) {
    const auto each_other = [&](auto&& take) {
        for (std::uint32_t node = 0; node < chains.size(); ++node) {
            const auto caller = chains[node].caller;
            if (caller != no_caller && caller + 1 != node) take(std::uint64_t{caller} << 32 | node);
        }
    };
    std::size_t count = 0;
    each_other([&](std::uint64_t) { ++count; });
    others_.reserve(count);
    each_other([&](std::uint64_t other) { others_.push_back(other); });
    std::ranges::sort(others_);
    has_others_.resize((chains.size() + block - 1) / block);
    for (std::size_t at = 0; at < count; ++at)
        has_others_[caller(at) / block] |= std::uint64_t{1} << caller(at) % block;
    begin_.resize((chains.size() + block - 1) / block + 1);
    for (std::size_t at = others_.size(), begin = begin_.size(); begin-- != 0;) {
        while (at != 0 && caller(at - 1) / block >= begin) --at;
        begin_[begin] = static_cast<std::uint32_t>(at);
    }
}

std::size_t Callees::first_of(std::uint32_t node) const {
    const auto of = node / block;
    if (of + std::size_t{1} >= begin_.size()) return others_.size();
    const auto first = others_.begin() + begin_[of], last = others_.begin() + begin_[of + 1];
    return static_cast<std::size_t>(std::lower_bound(first, last, std::uint64_t{node} << 32) - others_.begin());
}

std::vector<std::uint32_t> outer_nodes(std::span<const ChainNode> chains, const Callees& callees,
                                       std::span<const std::uint32_t> place, Outer which) {
    const auto count = static_cast<std::uint32_t>(chains.size());
    std::uint32_t places = 0;
    for (const auto one : place) places = one == no_place ? places : std::max(places, one + 1);
    // Walk down from each root and back up. `of_place` holds the wanted node of each place on the path from the root;
    // leaving a node restores the previous value.
    std::vector<std::uint32_t> of_place(places + std::size_t{1}, no_caller);  // the last is for no_place
    std::vector<std::uint32_t> outer(count);
    const auto at_place = [&](std::uint32_t node) -> std::uint32_t& {
        return of_place[std::min(place[chains[node].frame], places)];
    };
    // Run is a node that does not follow its caller, and those behind it, each a callee of the one before.
    struct Run {
        std::uint32_t first, node;  // node: the innermost that was not left yet
        std::size_t begin, end;     // the other callees of its nodes that were not visited yet
    };
    std::vector<Run> path;  // at most one for each node on a path
    const auto enter = [&](std::uint32_t first) {
        auto node = first;
        for (;; ++node) {
            auto& wanted = at_place(node);
            outer[node] = wanted;
            if (which == Outer::nearest || wanted == no_caller) wanted = node;
            if (!callees.follows(node)) break;
        }
        path.push_back({first, node, callees.first_of(first), callees.first_of(node + 1)});
    };
    for (std::uint32_t root = 0; root < count; ++root) {
        if (chains[root].caller != no_caller) continue;
        enter(root);
        while (!path.empty()) {
            auto& run = path.back();
            if (run.begin != run.end && callees.caller(run.end - 1) == run.node) {
                enter(callees.callee(--run.end));
                continue;
            }
            if (which == Outer::nearest || outer[run.node] == no_caller) at_place(run.node) = outer[run.node];
            if (run.node == run.first) {
                path.pop_back();
            } else {
                --run.node;
            }
        }
    }
    return outer;
}

TaskCalls::TaskCalls(const SampleCounts& counts, const std::vector<std::size_t>& columns, const TaskRows& rows)
    : counts_(counts), columns_(columns), rows_(rows), held_((counts.chains().size() + 63) / 64), rank_(held_.size()) {}

void TaskCalls::sum_up(std::uint32_t task) {
    const auto chains = counts_.chains();
    const auto columns = columns_.size();
    std::ranges::sort(words_);
    std::uint32_t count = 0;
    for (const auto word : words_) {
        rank_[word] = count;
        count += static_cast<std::uint32_t>(std::popcount(held_[word]));
    }
    size_ = count;
    sum_.clear();  // so that growing copies nothing
    sum_.resize(count * columns);
    for (const auto row : rows_.of(task)) {
        const auto cells = counts_.cells(row);
        auto* sum = &sum_[index(counts_.rows()[row].chain) * columns];
        for (std::size_t column = 0; column < columns; ++column) sum[column] += cells[columns_[column]];
    }
    auto at = count;
    for (auto word = words_.rbegin(); word != words_.rend(); ++word) {
        for (auto left = held_[*word]; left != 0;) {
            const auto bit = 63 - static_cast<std::uint32_t>(std::countl_zero(left));
            left ^= std::uint64_t{1} << bit;
            const auto node = *word * 64 + bit;
            --at;
            const auto caller = chains[node].caller;
            if (caller == no_caller) continue;
            const auto* sum = &sum_[at * columns];
            auto* into = &sum_[(caller + 1 == node ? at - 1 : index(caller)) * columns];
            for (std::size_t column = 0; column < columns; ++column) into[column] += sum[column];
        }
    }
}

}  // namespace perfdata
