// SPDX-License-Identifier: MIT
// Text of many listings is the same on any number of threads.
#include <vector>

#include "catch.hpp"
#include "unit/annotate/crafted_page.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Several threads write what one writes, long listings among short ones", "[annotate][listing]") {
    CraftedPage page;
    page.scene().sample(0x1004, 10).sample(0x1009, 11).sample(0x2001, 12);
    const auto context = page.context();
    const auto listings = page.listings();
    REQUIRE(listings.size() >= 2);
    REQUIRE(!listings[0].instructions.empty());
    // It is formatted only when its turn comes.
    auto long_one = listings[0];
    while (long_one.instructions.size() < 9000) long_one.instructions.push_back(listings[0].instructions[2]);
    std::vector<const Listing*> shown;
    for (std::size_t number = 0; number < 3000; ++number) {
        const bool is_long = number == 0 || number == 700 || number == 701 || number == 2999;
        shown.push_back(is_long ? &long_one : &listings[number % listings.size()]);
    }
    const auto text_of = [&](std::span<const Listing* const> some, unsigned jobs) {
        std::string text;
        write_text_listings(context, some, {}, jobs, [&](std::string_view part) { text += part; });
        return text;
    };
    std::string expected;
    for (const auto* listing : shown) {
        write_text_listing(context, *listing, {}, [&](std::string_view part) { expected += part; });
    }
    for (const unsigned jobs : {0u, 1u, 2u, 3u, 7u}) {
        INFO(jobs << " threads");
        CHECK((text_of(shown, jobs) == expected));
        CHECK(text_of({}, jobs).empty());
    }
}
