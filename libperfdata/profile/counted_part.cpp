// SPDX-License-Identifier: MIT
// Adds the counts of a part of a recording to those of the parts before it.
//
// Everything is numbered by first appearance. So what a part has is taken in the order of its numbers: what was not
// there gets the number that counting the parts one behind the other would give it, and the result is the same.
#include <algorithm>
#include <utility>
#include <vector>

#include "counted_rows.hpp"

namespace perfdata {
namespace {

constexpr std::size_t ahead = 16;  // how many steps before its use memory is fetched
constexpr std::size_t steps_between_looks = 1u << 16;

bool is_to_stop(std::size_t step, const StopToken& stop) {
    return step % steps_between_looks == 0 && stop.stop_requested();
}

}  // namespace

// Returns false if it was asked to stop. A part costs one step for each of its tasks, frames, nodes and rows; their
// numbers here take 4 bytes each for as long.
bool CountedRows::add(const CountedRows& part, bool is_last, const StopToken& stop) {
    std::vector<std::uint32_t> tasks, nodes;
    tasks.reserve(part.counts_.tasks_.size());
    for (const auto& task : part.counts_.tasks_.keys()) tasks.push_back(counts_.tasks_.intern(task));
    if (!add_chains(part, is_last, stop, nodes)) return false;
    const auto rows = part.rows_.rows();
    std::vector<std::uint32_t> numbers;
    numbers.reserve(rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (is_to_stop(at, stop)) return false;
        numbers.push_back(rows_.number({tasks[rows[at].task], nodes[rows[at].chain]}));
    }
    part.rows_.cells().each(
        [&](std::uint32_t row, std::size_t column, const EventCount& cell) { rows_.add(numbers[row], column, cell); });
    add_sums(part);
    return true;
}

// numbers: by node of the part, here.
bool CountedRows::add_chains(const CountedRows& part, bool is_last, const StopToken& stop,
                             std::vector<std::uint32_t>& numbers) {
    std::vector<std::uint32_t> frames;  // by frame of the part
    const auto others = part.counts_.frames_.keys();
    frames.reserve(others.size());
    auto& own = counts_.frames_;
    for (std::size_t at = 0; at < others.size(); ++at) {
        if (is_to_stop(at, stop)) return false;
        if (at + ahead < others.size()) own.prefetch(own.hash(others[at + ahead]));
        frames.push_back(own.intern(others[at]));
    }
    auto& chains = counts_.chains_;
    const auto nodes = part.counts_.chains_.nodes();
    const auto before = chains.size();
    numbers.reserve(nodes.size());
    // A caller that is new here has new callees: only others are looked for.
    const auto is_new = [&](std::uint32_t caller) { return caller != ChainNode::none && caller >= before; };
    const auto here = [&](const ChainNode& node) {
        const auto mark = node.frame & ChainNode::returns_mark;
        const auto caller = node.caller == ChainNode::none ? node.caller : numbers[node.caller];
        return ChainNode{caller, frames[node.frame & ~ChainNode::returns_mark] | mark};
    };
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (is_to_stop(at, stop)) return false;
        if (at + ahead < nodes.size()) {
            const auto& later = nodes[at + ahead];
            if (later.caller == ChainNode::none || later.caller < at) {
                if (const auto node = here(later); !is_new(node.caller)) chains.prefetch(node);
            }
        }
        const auto node = here(nodes[at]);
        numbers.push_back(is_new(node.caller) ? chains.add_new(node, !is_last) : chains.intern(node));
    }
    return true;
}

void CountedRows::add_sums(const CountedRows& part) {
    const auto& other = part.counts_;
    perfdata::add(counts_.totals_, other.totals_);
    perfdata::add(counts_.considered_, other.considered_);
    for (std::size_t of = 0; of < filter_parts; ++of) {
        perfdata::add(counts_.dropped_.of(FilterPart(of)), other.dropped_.of(FilterPart(of)));
    }
    any_dropped_ = any_dropped_ || part.any_dropped_;
    note_time(other.first_time_);
    note_time(other.last_time_);
    counts_.has_inlined_ = counts_.has_inlined_ || other.has_inlined_;
    auto& losses = counts_.chain_losses_;
    losses.broken += other.chain_losses_.broken;
    losses.deep += other.chain_losses_.deep;
    losses.folded += other.chain_losses_.folded;
    losses.stacks.add(other.chain_losses_.stacks);
}

}  // namespace perfdata
