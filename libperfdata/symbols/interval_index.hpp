// SPDX-License-Identifier: MIT
// Which of many ranges overlap one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfdata {

// IntervalIndex keeps items with a member `range` that has begin and end. What overlaps a range is found in O(log n)
// for each that does, however they lie over each other.
template <class Item>
class IntervalIndex {
  public:
    void add(Item item) { items_.push_back(std::move(item)); }
    // build() is needed between add() and each_overlapping().
    void build() {
        std::ranges::stable_sort(items_, {}, [](const Item& item) { return item.range.begin; });
        const auto leaves = std::bit_ceil(std::max<std::size_t>(items_.size(), 1));
        ends_.assign(2 * leaves, 0);
        for (std::size_t at = 0; at < items_.size(); ++at) ends_[leaves + at] = items_[at].range.end;
        for (auto node = leaves; node-- > 1;) ends_[node] = std::max(ends_[2 * node], ends_[2 * node + 1]);
    }
    void clear() {
        items_.clear();
        ends_.clear();
    }
    bool empty() const { return items_.empty(); }

    // each_overlapping(begin, end, visit) visits items by their begin until visit(item) is false.
    template <class Visit>
    void each_overlapping(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
        const auto above = std::ranges::lower_bound(items_, end, {}, [](const Item& item) { return item.range.begin; });
        const auto count = static_cast<std::size_t>(above - items_.begin());
        for (std::size_t at = 0; (at = next(at, begin)) < count; ++at) {
            if (!visit(items_[at])) return;
        }
    }

  private:
    // next(from, begin) is the first item from there on that ends behind `begin`, or a number beyond all.
    std::size_t next(std::size_t from, std::uint64_t begin) const {
        const auto leaves = ends_.size() / 2;
        if (from >= leaves) return leaves;
        auto node = leaves + from;
        while (ends_[node] <= begin) {
            // To the right: up while this is a right child.
            while (node % 2 != 0) node /= 2;
            if (node == 0) return leaves;
            ++node;
        }
        while (node < leaves) {
            node *= 2;
            if (ends_[node] <= begin) ++node;
        }
        return node - leaves;
    }

    std::vector<Item> items_;          // by begin
    std::vector<std::uint64_t> ends_;  // a tree: the greatest end below each node, the leaves are the items
};

}  // namespace perfdata
