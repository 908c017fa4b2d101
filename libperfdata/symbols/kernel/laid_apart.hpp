// SPDX-License-Identifier: MIT
// Overlapping ranges, cut into disjoint ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace perfdata {

// Cuts items into disjoint pieces, by address. Each address belongs to the item that wins(it, other) over all others
// there. Touching pieces that are same(one, other) become one. Items have a member `range` with begin and end.
//
//     items     |-----a-----|
//                   |-b-|               b wins over a
//                       |----c----|     a wins over c
//     pieces    |-a-|-b-|-a-|--c--|
//
// Takes O(n log n) for n items and makes at most 2n pieces, however items overlap. So a search by address finds one
// item. Calls look() at each step, which may throw.
template <class Item, class Wins, class Same, class Look>
std::vector<Item> laid_apart(std::vector<Item> items, Wins wins, Same same, Look&& look) {
    std::erase_if(items, [](const Item& item) { return item.range.begin >= item.range.end; });
    std::ranges::stable_sort(items, {}, [&](const Item& item) {
        look();
        return item.range.begin;
    });
    std::vector<Item> apart;
    std::uint64_t at = 0;
    // Items that lose stay in the queue: what they cover beyond the winner's end is theirs.
    const auto behind = [&](const Item* one, const Item* other) { return wins(*other, *one); };
    std::priority_queue<const Item*, std::vector<const Item*>, decltype(behind)> open(behind);
    const auto cover = [&](std::uint64_t end) {
        while (!open.empty() && at < end) {
            const auto& first = *open.top();
            const auto until = std::min(first.range.end, end);
            if (until > at) {
                if (!apart.empty() && apart.back().range.end == at && same(apart.back(), first)) {
                    apart.back().range.end = until;
                } else {
                    apart.push_back(first);
                    apart.back().range = {at, until};
                }
                at = until;
            }
            if (first.range.end <= at) open.pop();
        }
        at = std::max(at, end);
    };
    for (const auto& item : items) {
        look();
        cover(item.range.begin);
        open.push(&item);
    }
    cover(UINT64_MAX);
    return apart;
}

template <class Item, class Wins, class Same>
std::vector<Item> laid_apart(std::vector<Item> items, Wins wins, Same same) {
    return laid_apart(std::move(items), std::move(wins), std::move(same), [] {});
}

// Visits the pieces of laid_apart() that overlap [begin, end), by address, with the part inside. Stops if visit()
// returns false.
template <class Item, class Visit>
void each_piece(const std::vector<Item>& apart, std::uint64_t begin, std::uint64_t end, Visit&& visit) {
    auto piece = std::ranges::upper_bound(apart, begin, {}, [](const Item& one) { return one.range.end; });
    for (; piece != apart.end() && piece->range.begin < end; ++piece) {
        auto part = piece->range;
        part.begin = std::max(part.begin, begin);
        part.end = std::min(part.end, end);
        if (!visit(*piece, part)) return;
    }
}

}  // namespace perfdata
