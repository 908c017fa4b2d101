// SPDX-License-Identifier: MIT
// Distinct call chains, numbered by first appearance. Chains with the same callers share their nodes:
//
//     chains, outermost first   samples        node  caller  frame  counts of the node
//     main work                    2             0    none   main   -
//     main work hash               5             1      0    work   2
//     main idle                    1             2      1    hash   5
//                                                3      0    idle   1
//     main 0 -+- work 1 --- hash 2
//             +- idle 3
//
// A sample counts at the node of its innermost frame only. Callers have lower numbers than their callees: one pass from
// the last node to the first adds the counts of callees to their callers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/profile/chain_node.hpp"
#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// ChainTable gives equal nodes the same number. Most nodes have one callee only, so the table remembers each node's
// first callee and finds it without a search. Mostly it lies right behind its caller.
class PERFDATA_EXPORT ChainTable {
  public:
    // Returns the number of an equal node, or adds the node. node.caller must be `none` or a number returned before.
    std::uint32_t intern(const ChainNode& node) {
        if (node.caller != ChainNode::none) {
            auto& first = first_callee_[node.caller];
            if (first == ChainNode::none) {
                first = static_cast<std::uint32_t>(nodes_.size());
                return add(node);
            }
            if (nodes_[first].frame == node.frame) return first;
        }
        return intern_other(node);
    }

    // Adds a node that the table lacks, as when its caller was added a moment ago, and returns its number. Who calls no
    // intern() later spares what finds it: found = false.
    std::uint32_t add_new(const ChainNode& node, bool found) {
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        if (node.caller != ChainNode::none && first_callee_[node.caller] == ChainNode::none) {
            first_callee_[node.caller] = number;
        } else if (found) {
            others_.number(node.hash(*hash_key_), [](std::uint32_t) { return false; }) = number;
        }
        return add(node);
    }
    // Prefetches what a later intern(node) reads first.
    void prefetch(const ChainNode& node) const {
        if (node.caller != ChainNode::none) __builtin_prefetch(&first_callee_[node.caller]);
        others_.prefetch(node.hash(*hash_key_));
    }

    // Frees what only intern() needs. intern() must not be called afterwards.
    void seal();

    // nodes() returns them by number; they live until the next intern().
    std::span<const ChainNode> nodes() const { return {nodes_.data(), nodes_.size()}; }

    std::size_t size() const { return nodes_.size(); }  // number of nodes

  private:
    [[gnu::noinline]] std::uint32_t intern_other(const ChainNode& node) {
        auto& number =
            others_.number(node.hash(*hash_key_), [&](std::uint32_t known) { return nodes_[known] == node; });
        if (number == HashSlots::free) {
            number = static_cast<std::uint32_t>(nodes_.size());
            add(node);
        }
        return number;
    }
    std::uint32_t add(const ChainNode& node) {
        nodes_.push_back(node);
        first_callee_.push_back(ChainNode::none);
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    std::vector<ChainNode> nodes_;
    std::vector<std::uint32_t> first_callee_;  // by node; none: no callee yet
    HashSlots others_;  // nodes that are not the first callee of their caller; cost: see HashSlots
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
