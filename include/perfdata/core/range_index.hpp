// SPDX-License-Identifier: MIT
// Finds which of many ranges, overlapping in any way, touch a given one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfdata {

// RangeIndex is built once. A search takes time proportional to its results times the logarithm of the number of
// ranges, however long they are and wherever they lie: for each group of ranges, and each group of groups, it knows
// how far they reach. It takes 5 bytes a range.
class RangeIndex {
  public:
    RangeIndex() = default;
    // RangeIndex(size, first, last): first(index) and last(index) are the first and the last place of each range.
    // Ranges whose last place is before the first are empty and never found.
    template <class First, class Last>
    RangeIndex(std::size_t size, First&& first, Last&& last);  // is in range_index_builder.hpp

    // touching(begin, end, first, last, visit) calls visit(index) for each range that touches [begin, end], both
    // inclusive, ordered by first place, then by index. Pass the same first and last as to the constructor.
    template <class First, class Last, class Visit>
    void touching(std::uint64_t begin, std::uint64_t end, First&& first, Last&& last, Visit&& visit) const {
        for (auto at = reaching(0, begin, last); at < order_.size(); at = reaching(at + 1, begin, last)) {
            if (first(order_[at]) > end) break;
            visit(order_[at]);
        }
    }

  private:
    static constexpr std::size_t group = 16;

    template <class Reach>
    void add_level(std::size_t size, Reach&& reach);
    // reaching(from, place) returns the first position in order_, at `from` or later, of a range that ends at the place
    // or behind it.
    template <class Last>
    std::size_t reaching(std::size_t from, std::uint64_t place, Last&& last) const {
        for (; from < order_.size() && from % group != 0; ++from) {
            if (last(order_[from]) >= place) return from;
        }
        if (from >= order_.size()) return order_.size();
        // Go up over all groups that end before the place, then down into the first that does not.
        std::size_t level = 0;
        auto at = from / group;
        while (at < levels_[level].size() && levels_[level][at] < place) {
            ++at;
            for (; level + 1 < levels_.size() && at % group == 0; at /= group) ++level;
        }
        if (at >= levels_[level].size()) return order_.size();
        for (; level != 0; --level) {
            at *= group;
            while (levels_[level - 1][at] < place) ++at;
        }
        at *= group;
        while (last(order_[at]) < place) ++at;
        return at;
    }

    std::vector<std::uint32_t> order_;                // by first place
    std::vector<std::vector<std::uint64_t>> levels_;  // the end of each group of order_; of each group of these; ...
};

}  // namespace perfdata
