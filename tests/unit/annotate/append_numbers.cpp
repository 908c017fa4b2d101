// SPDX-License-Identifier: MIT
#include "format/append_numbers.hpp"

#include <fmt/format.h>
#include <limits>
#include <string>

#include "catch.hpp"
#include "format/words.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

template <class Append>
std::string appended(Append&& append) {
    std::string text = "in front ";
    append(text);
    REQUIRE(text.starts_with("in front "));
    return text.substr(std::string_view("in front ").size());
}

void check(std::uint64_t number) {
    CAPTURE(number);
    CHECK(appended([&](std::string& text) { append_decimal(text, number); }) == fmt::format("{}", number));
    const auto negative = static_cast<std::int64_t>(number);
    CHECK(appended([&](std::string& text) { append_decimal(text, negative); }) == fmt::format("{}", negative));
    const auto small = static_cast<std::int8_t>(number);
    CHECK(appended([&](std::string& text) { append_decimal(text, small); }) ==
          fmt::format("{}", static_cast<int>(small)));
    CHECK(appended([&](std::string& text) { append_hex(text, number); }) == fmt::format("{:#x}", number));
    const auto time = fmt::format("{}.{:09}", number / 1'000'000'000, number % 1'000'000'000);
    CHECK(appended([&](std::string& text) { append_seconds(text, Time{number}); }) == time);
}

}  // namespace

TEST_CASE("Appended numbers are those of fmt", "[annotate][format][property]") {
    Random random(5);
    for (unsigned bits = 0; bits < 64; ++bits) {
        const auto power = std::uint64_t{1} << bits;
        for (const auto number : {power - 1, power, power + 1, random.u64() >> bits}) check(number);
    }
    for (std::uint64_t power = 1; power <= 1'000'000'000'000'000'000; power *= 10) {
        for (const auto number : {power - 1, power, power + 1}) check(number);
    }
    check(std::numeric_limits<std::uint64_t>::max());
    for (const std::size_t size : {0u, 1u, 2u, 7u, 64u, 1000u}) {
        const auto bytes = random.bytes(size);
        CHECK(appended([&](std::string& text) { append_hex_bytes(text, bytes); }) == hex_bytes(bytes));
    }
}
