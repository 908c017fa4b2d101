// SPDX-License-Identifier: MIT
#include "perfdata/profile/intern_table.hpp"

#include <map>
#include <random>

#include "perfdata/profile/chain_node.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Equal keys have one number, in the order in which they came", "[profile][intern]") {
    InternTable<ChainNode> table;
    CHECK(table.intern({ChainNode::none, 5}) == 0);
    CHECK(table.intern({0, 5}) == 1);
    CHECK(table.intern({ChainNode::none, 5}) == 0);
    CHECK(table.intern({0, 6}) == 2);
    CHECK(table.size() == 3);
    CHECK(table[1] == ChainNode{0, 5});
    CHECK(table.keys().back() == ChainNode{0, 6});
}

TEST_CASE("A table that grows keeps its numbers", "[profile][intern]") {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> few(0, 299);
    InternTable<ChainNode> table;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> model;
    for (int count = 0; count < 200000; ++count) {
        const ChainNode node{few(random), few(random)};
        const auto number = table.intern(node);
        const auto expected = model.try_emplace({node.caller, node.frame}, static_cast<std::uint32_t>(model.size()));
        REQUIRE(number == expected.first->second);
    }
    CHECK(table.size() == model.size());
}

TEST_CASE("A table with a limit counts new keys as another one, and goes on knowing the old", "[profile][intern]") {
    InternTable<ChainNode> table;
    constexpr std::uint32_t most = 3;
    const ChainNode other{77, 78};
    for (std::uint32_t number = 0; number < most; ++number) {
        CHECK(table.intern_within(most, {0, number}, other) == number);
    }
    CHECK(table.intern_within(most, {0, 9}, other) == most);
    CHECK(table.intern_within(most, {0, 10}, other) == most);
    CHECK(table.intern_within(most, {0, 1}, other) == 1);
    CHECK(table.size() == most + 1);
    CHECK(table[most] == other);
}
