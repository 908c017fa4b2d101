// SPDX-License-Identifier: MIT
#include "perfdata/profile/event_count.hpp"

#include <cstdint>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Sums of hits and periods stay at the most", "[profile]") {
    constexpr auto most = ~std::uint64_t{0};
    EventCount sum{most - 1, most - 1};
    sum += {1, 1};
    CHECK(sum == EventCount{most, most});
    sum += {3, 3};
    CHECK(sum == EventCount{most, most});
    const EventCounts cells{{most / 2 + 1, 0}, {most / 2 + 1, 0}, {1, 0}};
    CHECK(hits(cells) == most);
    EventCounts total;
    add(total, cells);
    add(total, cells);
    CHECK(total[0].hits == most);
    CHECK(total[2].hits == 2);
}
