// SPDX-License-Identifier: MIT
// Compares the index with a linear search in a list of ranges.
#include "perfdata/core/range_index.hpp"

#include <random>

#include "perfdata/core/range_index_builder.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

struct Range {
    std::uint64_t first, last;
};

std::vector<std::uint32_t> naive(const std::vector<Range>& ranges, std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t index = 0; index < ranges.size(); ++index) {
        const auto& range = ranges[index];
        if (range.first <= range.last && range.first <= end && range.last >= begin) found.push_back(index);
    }
    std::ranges::stable_sort(found, {}, [&](std::uint32_t index) { return ranges[index].first; });
    return found;
}

}  // namespace

TEST_CASE("The index of ranges finds what a plain list of them has", "[core][range_index][property]") {
    struct Shape {
        std::size_t count;
        std::uint64_t base, spread, longest;
    };
    const auto shape = GENERATE(Shape{0, 0, 10, 10}, Shape{1, 50, 1, 3}, Shape{16, 0, 40, 9}, Shape{17, 0, 40, 9},
                                Shape{257, 0, 300, 2}, Shape{1000, 0, 30, 5}, Shape{1000, 0, 5000, 4000},
                                Shape{4097, ~std::uint64_t{0} - 9000, 9000, 40});
    std::mt19937 random(7);
    const auto below = [&](std::uint64_t bound) {
        return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random);
    };
    std::vector<Range> ranges;
    for (std::size_t count = 0; count < shape.count; ++count) {
        const auto first = shape.base + below(shape.spread);
        const auto room = ~std::uint64_t{0} - first;
        // Some cover all others, and some are empty.
        const auto size = count % 50 == 7 ? shape.spread : below(shape.longest);
        ranges.push_back({first, size == 0 && first != 0 ? first - 1 : first + std::min(size, room)});
    }
    const auto first = [&](std::uint32_t index) { return ranges[index].first; };
    const auto last = [&](std::uint32_t index) { return ranges[index].last; };
    const RangeIndex index(ranges.size(), first, last);
    int different = 0, hits = 0;
    for (int query = 0; query < 300; ++query) {
        const auto begin = shape.base + below(shape.spread + 10) - (shape.base != 0 ? 5 : 0);
        const auto end = begin + below(query % 3 == 0 ? 1 : shape.longest);
        std::vector<std::uint32_t> found;
        index.touching(begin, std::max(begin, end), first, last, [&](std::uint32_t one) { found.push_back(one); });
        const auto expected = naive(ranges, begin, std::max(begin, end));
        different += found != expected;
        hits += !expected.empty();
    }
    CHECK(different == 0);
    CHECK((shape.count < 10 || hits > 0));
}

TEST_CASE("One long range in front of many short ones does not make each search long", "[core][range_index]") {
    constexpr std::uint32_t count = 100'000;
    const auto first = [](std::uint32_t index) { return std::uint64_t{index}; };
    std::uint64_t looked_at = 0;
    const auto last = [&](std::uint32_t index) {
        ++looked_at;
        return index == 0 ? std::uint64_t{1} << 40 : std::uint64_t{index};
    };
    const RangeIndex index(count, first, last);
    looked_at = 0;
    std::uint64_t found = 0;
    for (std::uint32_t place = 1; place < count; place += 100) {
        index.touching(place, place, first, last, [&](std::uint32_t) { ++found; });
    }
    CHECK(found == 2 * (count / 100));
    CHECK(looked_at < 100 * (count / 100));
}
