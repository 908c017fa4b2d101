// SPDX-License-Identifier: MIT
// Which names messages give.
#include "report/most_sampled.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Names with the most samples are given first", "[report]") {
    using Names = std::vector<std::string_view>;
    CHECK(most_sampled({}).empty());
    CHECK(most_sampled({{"one", 0}}) == Names{"one"});
    CHECK(most_sampled({{"d", 2}, {"c", 5}, {"b", 2}, {"a", 1}, {"e", ~std::uint64_t{0}}}) == Names{"e", "c", "b"});
    CHECK(most_sampled({{"z", 1}, {"y", 1}}) == Names{"y", "z"});
}

TEST_CASE("A list of names says if there are more", "[report]") {
    CHECK(listed({}, 0).empty());
    const std::vector<std::string> names{"libc.so.6", "a\x1b"};
    CHECK(listed(names, 2) == "libc.so.6, a\\x1b");
    CHECK(listed(names, 3) == "libc.so.6, a\\x1b, ...");
}
