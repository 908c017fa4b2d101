// SPDX-License-Identifier: MIT
#include "format/percent.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "catch.hpp"

using namespace perfdata;

namespace {

// Returns what printf() writes, and so perf.
std::string as_printf(double percent, int places) {
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), "%.*f", places, percent);
    return text.data();
}

}  // namespace

TEST_CASE("Percentages are rounded as printf rounds them, ties to the even digit", "[annotate][words]") {
    CHECK(percent_text(0.125) == "0.12");
    CHECK(percent_text(0.375) == "0.38");
    CHECK(percent_text(62.5, 0) == "62");
    CHECK(percent_text(0.25, 1) == "0.2");
    CHECK(percent_text(100) == "100.00");
    CHECK(share_text(1, 800) == "0.12");
    CHECK(share_text(3, 800) == "0.38");
    CHECK(share_text(1, 0) == "0.00");
    CHECK(share_text(~std::uint64_t{0}, ~std::uint64_t{0}) == "100.00");
    std::uint64_t others = 0;
    for (std::uint64_t whole = 1; whole <= 1000; ++whole) {
        for (std::uint64_t part = 0; part <= whole; part += whole < 300 ? 1 : 7) {
            for (const int places : {0, 1, 2}) {
                others += share_text(part, whole, places) != as_printf(share(part, whole), places) ? 1 : 0;
            }
        }
    }
    CHECK(others == 0);
}
