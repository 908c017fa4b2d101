// SPDX-License-Identifier: MIT
#include <map>

#include "perfdata/timeline/history_builder.hpp"

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;

TEST_CASE("A history without values has none", "[timeline][history]") {
    const auto history = History<int>::Builder().build();
    CHECK(history.at(0, {0}) == nullptr);
    CHECK(history.of(7).empty());
}

TEST_CASE("A history finds the latest value of a key, of those of one time the last", "[timeline][history]") {
    test::Random random(5);
    History<int>::Builder builder;
    std::map<std::uint64_t, std::map<std::uint64_t, int>> model;
    for (int value = 0; value < 3000; ++value) {
        const auto time = static_cast<std::uint64_t>(value / 4);
        // Keys that differ only in high or only in low bits.
        const auto key = random.below(40) << (random.one_in(2) ? 32 : 0);
        builder.add(key, {time}, value);
        model[key][time] = value;
    }
    const auto history = std::move(builder).build();
    int differences = 0;
    for (int query = 0; query < 5000; ++query) {
        const auto key = random.below(50) << (random.one_in(2) ? 32 : 0);
        const auto time = random.below(800);
        const auto* found = history.at(key, {time});
        const auto values = model.find(key);
        const auto later =
            values == model.end() ? std::map<std::uint64_t, int>::iterator{} : values->second.upper_bound(time);
        const bool none = values == model.end() || later == values->second.begin();
        if (none != (found == nullptr) || (found != nullptr && *found != std::prev(later)->second)) ++differences;
    }
    CHECK(differences == 0);
}
