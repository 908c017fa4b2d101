// SPDX-License-Identifier: MIT
// Distinct call chains, numbered in the order in which they were first seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/profile/chain_node.hpp"
#include "perfdata/profile/hash_slots.hpp"
#include "perfdata/recording/hash_key.hpp"

namespace perfdata {

// ChainTable gives equal nodes the same number. Most chains are of one caller only and were made from it inwards, so a
// node's first callee mostly lies right behind it: no search.
class ChainTable {
  public:
    // intern(node): node.caller is `none` or a number that was given before.
    std::uint32_t intern(const ChainNode& node) {
        if (node.caller != ChainNode::none) {
            auto& first = first_callee_[node.caller];
            if (first == ChainNode::none) {
                first = static_cast<std::uint32_t>(nodes_.size());
                return add(node);
            }
            if (nodes_[first].frame == node.frame) return first;
        }
        auto& number =
            others_.number(node.hash(*hash_key_), [&](std::uint32_t known) { return nodes_[known] == node; });
        if (number == HashSlots::free) {
            number = static_cast<std::uint32_t>(nodes_.size());
            add(node);
        }
        return number;
    }

    // seal() gives back what only looking up needs: nothing can be interned any more.
    void seal();

    std::span<const ChainNode> nodes() const { return {nodes_.data(), nodes_.size()}; }
    std::size_t size() const { return nodes_.size(); }

  private:
    std::uint32_t add(const ChainNode& node) {
        nodes_.push_back(node);
        first_callee_.push_back(ChainNode::none);
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    std::vector<ChainNode> nodes_;
    std::vector<std::uint32_t> first_callee_;  // by node; none: no callee yet
    HashSlots others_;  // all nodes that are not the first callee of another; cost: see HashSlots
    const HashKey* hash_key_ = &HashKey::process();
};

}  // namespace perfdata
