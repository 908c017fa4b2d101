// SPDX-License-Identifier: MIT
#include "symbols/kernel/laid_apart.hpp"

#include <map>

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct FileRange {
    std::uint64_t begin = 0, end = 0;
};
struct Item {
    FileRange range;
    std::size_t number = 0;
};

bool first_in_list(const Item& one, const Item& other) {
    return one.number < other.number;
}
bool last_to_begin(const Item& one, const Item& other) {
    return std::pair(one.range.begin, other.number) > std::pair(other.range.begin, one.number);
}
bool same_item(const Item& one, const Item& other) {
    return one.number == other.number;
}

}  // namespace

TEST_CASE("Laid apart, each address belongs to the one that a look at all finds", "[symbols][apart]") {
    Random random(11);
    for (int round = 0; round < 3000; ++round) {
        const auto wins = random.below(2) == 0 ? first_in_list : last_to_begin;
        std::vector<Item> all;
        for (std::size_t number = 0, count = random.size(14); number < count; ++number) {
            const auto begin = random.below(20);
            all.push_back({{begin, begin + random.below(8)}, number});
        }
        std::map<std::uint64_t, std::size_t> expected, found;
        for (std::uint64_t at = 0; at < 30; ++at) {
            const Item* owner = nullptr;
            for (const auto& item : all) {
                const bool there = item.range.begin <= at && at < item.range.end;
                if (there && (owner == nullptr || wins(item, *owner))) owner = &item;
            }
            if (owner != nullptr) expected[at] = owner->number;
        }
        const auto apart = laid_apart(all, wins, same_item);
        CHECK(apart.size() <= 2 * all.size());
        for (std::size_t at = 0; at < apart.size(); ++at) {
            const auto& [range, number] = apart[at];
            REQUIRE(range.begin < range.end);
            for (auto address = range.begin; address < range.end; ++address) found[address] = number;
            if (at == 0) continue;
            const auto& before = apart[at - 1];
            REQUIRE(before.range.end <= range.begin);
            REQUIRE((before.number != number || before.range.end < range.begin));  // or they would be one range
        }
        REQUIRE(found == expected);

        const auto begin = random.below(20), end = begin + random.below(6);
        std::map<std::uint64_t, std::size_t> inside, visited;
        for (const auto& [address, number] : expected) {
            if (begin <= address && address < end) inside.emplace(address, number);
        }
        each_piece(apart, begin, end, [&](const Item& item, FileRange part) {
            for (auto address = part.begin; address < part.end; ++address) visited.emplace(address, item.number);
            return true;
        });
        REQUIRE(visited == inside);
    }
}

TEST_CASE("A visit of pieces can end early", "[symbols][apart]") {
    std::vector<Item> all;
    for (std::size_t number = 0; number < 10; ++number) all.push_back({{number, number + 1}, number});
    std::size_t visits = 0;
    each_piece(laid_apart(all, first_in_list, same_item), 2, 9, [&](const Item&, FileRange) { return ++visits < 3; });
    CHECK(visits == 3);
}
