// SPDX-License-Identifier: MIT
// Counts how often a call asks whether to stop, and stops it.
#pragma once

#include <cstddef>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/progress.hpp"

#include "catch.hpp"

namespace perfdata::test {

// Looks is how often a call asked, and when it is told to stop.
struct Looks {
    std::size_t asked = 0, most = ~std::size_t{0};

    Watch watch() {
        return {StopToken([this] { return ++asked >= most; }), {}};
    }
};

// Checks that the call asks many times, and fails with `cancelled` at each of some.
template <class Call>
void check_stops(Call&& call, std::size_t least) {
    Looks all;
    REQUIRE(call(all.watch()));
    CHECK(all.asked >= least);
    for (const std::size_t most : {std::size_t{1}, all.asked / 2, all.asked}) {
        INFO(most << " of " << all.asked);
        Looks some;
        some.most = most;
        const auto stopped = call(some.watch());
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().code == ErrorCode::cancelled);
        CHECK(some.asked == most);
    }
}

}  // namespace perfdata::test
