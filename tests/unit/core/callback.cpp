// SPDX-License-Identifier: MIT
#include "perfdata/core/callback.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "catch.hpp"

using namespace perfdata;

namespace {

int twice(int number) {
    return 2 * number;
}

using Count = Callback<int(int)>;

}  // namespace

TEST_CASE("A callback calls what it was made of", "[core][callback]") {
    CHECK(Count(twice)(21) == 42);
    int sum = 0;
    const Callback<void(int)> add = [&](int number) { return sum += number; };  // what it returns is dropped
    add(3);
    add(4);
    CHECK(sum == 7);
    const Callback<std::size_t(const std::string&)> size = [](const std::string& text) { return text.size(); };
    CHECK(size("four") == 4);
    const Callback<std::string(std::string)> same = [](std::string text) { return text; };
    CHECK(same(std::string(100, 'x')) == std::string(100, 'x'));
}

TEST_CASE("A callback of nothing is empty", "[core][callback]") {
    CHECK_FALSE(Count());
    CHECK_FALSE(Count(nullptr));
    CHECK_FALSE(Count(std::function<int(int)>()));
    CHECK_FALSE(Count(static_cast<int (*)(int)>(nullptr)));
    CHECK(Count(std::function<int(int)>(twice))(4) == 8);
}

TEST_CASE("Copies of a callback have a state of their own, and what is moved from is empty", "[core][callback]") {
    Count count = [calls = 0](int) mutable { return ++calls; };
    CHECK(count(0) == 1);
    Count copy = count;
    CHECK(copy(0) == 2);
    CHECK(copy(0) == 3);
    CHECK(count(0) == 2);
    copy = count;
    CHECK(copy(0) == 3);
    const Count moved = std::move(count);
    CHECK(moved(0) == 3);
    copy = Count();
    CHECK_FALSE(copy);
}

TEST_CASE("A callback frees what it holds", "[core][callback]") {
    const auto held = std::make_shared<int>(5);
    {
        Count count = [held](int number) { return *held + number; };
        const Count copy = count;
        CHECK(held.use_count() == 3);
        count = twice;
        CHECK(held.use_count() == 2);
        CHECK(copy(1) == 6);
    }
    CHECK(held.use_count() == 1);
}
