// SPDX-License-Identifier: MIT
#include "perfdata/core/text_arena.hpp"

#include <string>
#include <vector>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Texts of any length stay where they are, also when the arena moves", "[core][text_arena]") {
    TextArena arena;
    std::vector<std::string> texts;
    std::vector<std::string_view> kept;
    std::uint64_t bytes = 0;
    for (std::size_t number = 0; number < 3000; ++number) {
        // Short ones, long ones, and some that fit a block exactly.
        const std::size_t size = number % 97 == 0 ? 40'000 + number : number % 13 == 0 ? 1024 : number % 60;
        texts.emplace_back(size, static_cast<char>('a' + number % 26));
        kept.push_back(arena.keep(texts.back()));
        bytes += size;
    }
    CHECK(arena.bytes() == bytes);
    const TextArena moved = std::move(arena);
    CHECK(moved.bytes() == bytes);
    std::size_t different = 0;
    for (std::size_t number = 0; number < texts.size(); ++number) different += kept[number] != texts[number];
    CHECK(different == 0);
}

TEST_CASE("A moved arena goes on, and what it was moved from is empty", "[core][text_arena]") {
    TextArena arena;
    const auto first = arena.keep("first");
    TextArena moved(std::move(arena));
    const auto second = moved.keep("second");
    CHECK(first == "first");
    CHECK(second == "second");
    CHECK(second.data() == first.data() + first.size());
    CHECK(moved.keep({}).empty());
    CHECK(moved.bytes() == 11);
}
