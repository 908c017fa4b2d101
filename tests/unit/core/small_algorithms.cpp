// SPDX-License-Identifier: MIT
#include "perfdata/core/small_algorithms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("first_above finds what std::upper_bound finds", "[core][small_algorithms]") {
    const auto same = [](int number) { return number; };
    std::vector<int> numbers;
    int different = 0;
    for (int size = 0; size < 40; ++size) {
        for (int key = -1; key < 30; ++key) {
            const auto expected = std::ranges::upper_bound(numbers, key) - numbers.begin();
            different += first_above(numbers, key, same) != static_cast<std::size_t>(expected);
        }
        numbers.push_back(2 * (size / 3));  // some are equal
    }
    CHECK(different == 0);
}

TEST_CASE("least and greatest compare two", "[core][small_algorithms]") {
    CHECK(least(3, 4) == 3);
    CHECK(least(4, 3) == 3);
    CHECK(greatest(3, 4) == 4);
    CHECK(greatest(4, 3) == 4);
    CHECK(greatest(Time{1}, Time{2}) == Time{2});
}

TEST_CASE("add_up_to_most does not wrap", "[core][small_algorithms]") {
    constexpr auto most = ~std::uint64_t{0};
    CHECK(add_up_to_most(3, 4) == 7);
    CHECK(add_up_to_most(most - 1, 1) == most);
    CHECK(add_up_to_most(most, 1) == most);
    CHECK(add_up_to_most(1, most) == most);
    CHECK(add_up_to_most(most / 2 + 1, most / 2 + 1) == most);
}

TEST_CASE("copy_bytes copies all, or nothing", "[core][small_algorithms]") {
    const std::array<std::byte, 3> from{std::byte{1}, std::byte{2}, std::byte{3}};
    std::array<std::byte, 4> to{};
    copy_bytes({}, to.data());
    CHECK(to == std::array<std::byte, 4>{});
    copy_bytes(from, to.data());
    CHECK(to == std::array<std::byte, 4>{std::byte{1}, std::byte{2}, std::byte{3}});
}
