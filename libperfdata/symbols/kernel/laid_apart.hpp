// SPDX-License-Identifier: MIT
// To whom each address belongs where ranges lie over each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace perfdata {

// laid_apart(items, wins, same) is pieces of the items that lie apart from each other, by address: each address that
// any of them covers belongs to the one that wins(it, other) over all others there. Pieces that touch and are the
// same(one, other) are one. Items have a member `range` with begin and end. O(n log n) for n items, at most 2n pieces:
// however they lie, an address is asked of one item only.
template <class Item, class Wins, class Same>
std::vector<Item> laid_apart(std::vector<Item> items, Wins wins, Same same) {
    std::erase_if(items, [](const Item& item) { return item.range.begin >= item.range.end; });
    std::ranges::stable_sort(items, {}, [](const Item& item) { return item.range.begin; });
    std::vector<Item> apart;
    std::uint64_t at = 0;
    // Those behind have begun later: what they cover beyond the end of one is theirs.
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
        cover(item.range.begin);
        open.push(&item);
    }
    cover(UINT64_MAX);
    return apart;
}

// each_piece(apart, begin, end, visit) visits what laid_apart() made and overlaps the range, by address; the range that
// is passed on is the part inside.
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
