// SPDX-License-Identifier: MIT
#include "perfdata/profile/chain_table.hpp"

#include <map>
#include <random>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Chains of one caller, of several and of none each have one number", "[profile][chains]") {
    ChainTable table;
    CHECK(table.intern({ChainNode::none, 5}) == 0);
    CHECK(table.intern({0, 5}) == 1);
    CHECK(table.intern({0, 6}) == 2);
    CHECK(table.intern({ChainNode::none, 6}) == 3);
    CHECK(table.intern({0, 5}) == 1);
    CHECK(table.intern({0, 6}) == 2);
    CHECK(table.intern({ChainNode::none, 6}) == 3);
    CHECK(table.intern({ChainNode::none, 5}) == 0);
    CHECK(table.size() == 4);
    CHECK(table.nodes()[2] == ChainNode{0, 6});
}

TEST_CASE("Random chains are numbered as by a map", "[profile][chains]") {
    std::mt19937 random(1);
    ChainTable table;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> model;
    for (int chain = 0; chain < 30000; ++chain) {
        auto caller = ChainNode::none;
        const auto depth = 1 + random() % 12;
        for (unsigned level = 0; level < depth; ++level) {
            const auto frame = static_cast<std::uint32_t>(random() % (level % 3 == 0 ? 50 : 2));
            const auto next = static_cast<std::uint32_t>(model.size());
            const auto expected = model.try_emplace({caller, frame}, next).first->second;
            REQUIRE(table.intern({caller, frame}) == expected);
            caller = expected;
        }
    }
    CHECK(table.size() == model.size());
    for (const auto& [key, number] : model) CHECK(table.nodes()[number] == ChainNode{key.first, key.second});
}
