// SPDX-License-Identifier: MIT
// Makes a RangeIndex.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "perfdata/core/range_index.hpp"

namespace perfdata {

template <class Reach>
void RangeIndex::add_level(std::size_t size, Reach&& reach) {
    std::vector<std::uint64_t> level((size + group - 1) / group);
    for (std::size_t at = 0; at < size; ++at) level[at / group] = std::max(level[at / group], reach(at));
    levels_.push_back(std::move(level));
}

template <class First, class Last>
RangeIndex::RangeIndex(std::size_t size, First&& first, Last&& last) {
    order_.reserve(size);
    for (std::uint32_t index = 0; index < size; ++index) {
        if (first(index) <= last(index)) order_.push_back(index);
    }
    std::ranges::sort(order_, {}, [&](std::uint32_t index) { return std::pair(first(index), index); });
    if (order_.empty()) return;
    add_level(order_.size(), [&](std::size_t at) { return last(order_[at]); });
    while (levels_.back().size() > 1) {
        const auto below = levels_.back();
        add_level(below.size(), [&](std::size_t at) { return below[at]; });
    }
}

}  // namespace perfdata
