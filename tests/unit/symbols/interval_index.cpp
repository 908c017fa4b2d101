// SPDX-License-Identifier: MIT
#include "interval_index.hpp"

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Item {
    struct {
        std::uint64_t begin, end;
    } range;
    std::size_t number;
};

}  // namespace

TEST_CASE("An interval index finds what a look at all finds, by begin", "[symbols][interval]") {
    Random random(11);
    for (int round = 0; round < 3000; ++round) {
        IntervalIndex<Item> index;
        std::vector<Item> all;
        for (std::size_t number = 0, count = random.size(14); number < count; ++number) {
            const auto begin = random.below(20);
            all.push_back({{begin, begin + random.below(8)}, number});
            index.add(all.back());
        }
        index.build();
        CHECK(index.empty() == all.empty());
        std::ranges::stable_sort(all, {}, [](const Item& item) { return item.range.begin; });
        const auto begin = random.below(20), end = begin + random.below(6);
        std::vector<std::size_t> expected, found;
        for (const auto& item : all) {
            if (item.range.begin < end && begin < item.range.end) expected.push_back(item.number);
        }
        index.each_overlapping(begin, end, [&](const Item& item) {
            found.push_back(item.number);
            return true;
        });
        REQUIRE(found == expected);
    }
}

TEST_CASE("A visit of an interval index can end early", "[symbols][interval]") {
    IntervalIndex<Item> index;
    for (std::size_t number = 0; number < 10; ++number) index.add({{number, 100}, number});
    index.build();
    std::size_t visits = 0;
    index.each_overlapping(50, 60, [&](const Item&) { return ++visits < 3; });
    CHECK(visits == 3);
}
