// SPDX-License-Identifier: MIT
#include "perfdata/core/stop_token.hpp"

#include <atomic>
#include <memory>
#include <stop_token>
#include <type_traits>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("A stop token of nothing never stops", "[core][stop_token]") {
    CHECK_FALSE(StopToken().stop_requested());
    CHECK_FALSE(StopToken(std::stop_token()).stop_requested());
}

TEST_CASE("A stop token asks the std::stop_token that it is made of", "[core][stop_token]") {
    std::stop_source source;
    const StopToken token = source.get_token();
    const auto copy = token;
    CHECK_FALSE(token.stop_requested());
    source.request_stop();
    CHECK(token.stop_requested());
    CHECK(copy.stop_requested());
}

TEST_CASE("A stop token asks a function", "[core][stop_token]") {
    std::atomic<bool> stop = false;
    const StopToken token([&] { return stop.load(); });
    CHECK_FALSE(token.stop_requested());
    stop = true;
    CHECK(token.stop_requested());
    // Not by accident: neither numbers nor other callbacks are tokens.
    CHECK_FALSE(std::is_convertible_v<bool (*)(), StopToken>);
    CHECK_FALSE(std::is_constructible_v<StopToken, int>);
}
