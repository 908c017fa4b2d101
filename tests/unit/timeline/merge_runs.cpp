// SPDX-License-Identifier: MIT
#include "timeline/merge_runs.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "timeline/keyed_table.hpp"

using namespace perfdata;

namespace {

using Numbered = std::pair<std::uint32_t, std::uint32_t>;  // a key, and the place before sorting

// Returns keys of that many rounds of two buffers: each round is in order twice, and overlaps with those beside it.
std::vector<Numbered> rounds_of_buffers(std::uint32_t rounds) {
    std::vector<Numbered> values;
    const auto add = [&](std::uint32_t key) { values.emplace_back(key, static_cast<std::uint32_t>(values.size())); };
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint32_t at = 0; at < 7; ++at) add(10 * round + 2 * at);
        for (std::uint32_t at = 0; at < 5; ++at) add(10 * round + 3 * at);
    }
    return values;
}

std::uint64_t merged_and_counted(std::vector<Numbered> values) {
    auto expected = values;
    std::ranges::stable_sort(expected, {}, &Numbered::first);
    std::uint64_t looks = 0;
    merge_runs(
        values, [](const Numbered& value) { return value.first; }, [&] { ++looks; });
    CHECK(values == expected);
    return looks;
}

}  // namespace

TEST_CASE("Runs are merged to a stable order", "[timeline][merge_runs]") {
    merged_and_counted({});
    merged_and_counted({{3, 0}});
    merged_and_counted({{3, 0}, {2, 1}});
    merged_and_counted({{1, 0}, {1, 1}, {0, 2}, {1, 3}, {0, 4}, {0, 5}});
    std::vector<Numbered> falling, mixed;
    std::uint32_t random = 1;
    for (std::uint32_t at = 0; at < 1000; ++at) {
        falling.emplace_back(1000 - at, at);
        random = random * 1664525 + 1013904223;
        mixed.emplace_back(random >> 25, at);
    }
    merged_and_counted(falling);
    merged_and_counted(mixed);
}

TEST_CASE("Runs that overlap with their neighbours alone are merged in linear time", "[timeline][merge_runs]") {
    const auto few = merged_and_counted(rounds_of_buffers(500)), many = merged_and_counted(rounds_of_buffers(4000));
    CHECK(many < 10 * few);
    CHECK(many < std::uint64_t{4000} * 12 * 8);
}

TEST_CASE("A keyed table keeps the value of each key while it grows", "[timeline][keyed_table]") {
    KeyedTable<std::uint32_t> table;
    CHECK(table.find(0) == nullptr);
    for (std::uint32_t key = 0; key < 1000; ++key) table[std::uint64_t{key} << 32] = key + 1;
    table[0] = 77;
    REQUIRE(table.find(0) != nullptr);
    CHECK(*table.find(0) == 77);
    CHECK(table.find(1) == nullptr);
    for (std::uint32_t key = 1; key < 1000; ++key) {
        const auto* value = table.find(std::uint64_t{key} << 32);
        REQUIRE(value != nullptr);
        CHECK(*value == key + 1);
    }
}
