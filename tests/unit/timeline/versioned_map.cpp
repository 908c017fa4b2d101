// SPDX-License-Identifier: MIT
#include <limits>
#include <string>

#include "perfdata/timeline/versioned_map_builder.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

using Map = VersionedMap<std::string>;

std::string at(const Map& map, std::uint64_t address, std::uint64_t time) {
    const auto* entry = map.find({address}, {time});
    return entry == nullptr ? "-" : entry->value;
}

AddressRange range(std::uint64_t begin, std::uint64_t size) {
    return {{begin}, size};
}

constexpr auto last_address = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("A map without entries finds nothing", "[timeline][versioned_map]") {
    const auto map = Map::Builder(GENERATE(Overlap::ends, Overlap::hides)).build();
    CHECK(at(map, 0, 0) == "-");
    CHECK(at(map, last_address, last_address) == "-");
    CHECK(map.entries().empty());
}

TEST_CASE("An entry is found from its first to its last byte and from its time until its end", "[timeline]") {
    Map::Builder builder(GENERATE(Overlap::ends, Overlap::hides));
    CHECK(builder.add({10}, range(100, 20), "a") == 0);
    REQUIRE(builder.live({100}) != nullptr);
    CHECK(builder.live({100})->value == "a");
    CHECK(builder.live({101}) == nullptr);
    CHECK(builder.remove({30}, {100}));
    CHECK(builder.live({100}) == nullptr);
    const auto map = std::move(builder).build();
    CHECK(at(map, 99, 10) == "-");
    CHECK(at(map, 100, 10) == "a");
    CHECK(at(map, 119, 10) == "a");
    CHECK(at(map, 120, 10) == "-");
    CHECK(at(map, 110, 9) == "-");
    CHECK(at(map, 110, 29) == "a");
    CHECK(at(map, 110, 30) == "-");
    REQUIRE(map.entries().size() == 1);
    CHECK(map.entries()[0].range == range(100, 20));
    CHECK(map.entries()[0].from == Time{10});
    CHECK(map.entries()[0].until == Time{30});
}

TEST_CASE("An entry that is never removed is there for ever", "[timeline][versioned_map]") {
    Map::Builder builder(Overlap::ends);
    builder.add({0}, range(100, 20), "a");
    const auto map = std::move(builder).build();
    CHECK(at(map, 100, 0) == "a");
    CHECK(at(map, 100, last_address) == "a");
    CHECK(map.entries()[0].until == Time::forever());
}

TEST_CASE("remove() wants the very begin of a live entry", "[timeline][versioned_map]") {
    Map::Builder builder(Overlap::ends);
    builder.add({1}, range(100, 20), "a");
    CHECK_FALSE(builder.remove({2}, {101}));
    CHECK_FALSE(builder.remove({2}, {119}));
    CHECK(builder.remove({2}, {100}));
    CHECK_FALSE(builder.remove({3}, {100}));
    const auto map = std::move(builder).build();
    CHECK(map.entries()[0].until == Time{2});
}

TEST_CASE("Ending overlap: a newcomer ends every entry that it touches, and no other", "[timeline][versioned_map]") {
    Map::Builder builder(Overlap::ends);
    builder.add({1}, range(100, 10), "below");
    builder.add({1}, range(110, 10), "left");
    builder.add({1}, range(120, 10), "inside");
    builder.add({1}, range(130, 10), "right");
    builder.add({1}, range(140, 10), "above");
    builder.add({5}, range(119, 12), "new");
    const auto map = std::move(builder).build();
    CHECK(at(map, 109, 5) == "below");
    CHECK(at(map, 110, 4) == "left");
    CHECK(at(map, 110, 5) == "-");
    CHECK(at(map, 118, 5) == "-");
    CHECK(at(map, 119, 5) == "new");
    CHECK(at(map, 125, 4) == "inside");
    CHECK(at(map, 125, 5) == "new");
    CHECK(at(map, 130, 5) == "new");
    CHECK(at(map, 131, 5) == "-");
    CHECK(at(map, 131, 4) == "right");
    CHECK(at(map, 140, 5) == "above");
    CHECK(map.entries()[0].until == Time::forever());
    CHECK(map.entries()[1].until == Time{5});
    CHECK(map.entries()[2].until == Time{5});
    CHECK(map.entries()[3].until == Time{5});
    CHECK(map.entries()[4].until == Time::forever());
}

TEST_CASE("Ending overlap: an entry ends when a newcomer lies in the middle of it", "[timeline][versioned_map]") {
    Map::Builder builder(Overlap::ends);
    builder.add({1}, range(0x1000, 0x1000), "large");
    builder.add({2}, range(0x1800, 1), "small");
    const auto map = std::move(builder).build();
    CHECK(at(map, 0x17ff, 1) == "large");
    CHECK(at(map, 0x17ff, 2) == "-");
    CHECK(at(map, 0x1800, 2) == "small");
    CHECK(at(map, 0x1801, 2) == "-");
}

TEST_CASE("Hiding overlap: both stay, the greatest begin counts, and the older one comes back", "[timeline]") {
    Map::Builder builder(Overlap::hides);
    builder.add({1}, range(0x1000, 0x1000), "low");
    builder.add({2}, range(0x1400, 0x100), "high");
    builder.remove({3}, {0x1400});
    const auto map = std::move(builder).build();
    CHECK(at(map, 0x1400, 1) == "low");
    CHECK(at(map, 0x13ff, 2) == "low");
    CHECK(at(map, 0x1400, 2) == "high");
    CHECK(at(map, 0x14ff, 2) == "high");
    CHECK(at(map, 0x1500, 2) == "-");  // a nearer entry begins below it, although only the other claims the address
    CHECK(at(map, 0x1500, 3) == "low");
    CHECK(map.entries()[0].until == Time::forever());
}

TEST_CASE("The same begin registered again ends the entry before, under both policies", "[timeline][versioned_map]") {
    Map::Builder builder(GENERATE(Overlap::ends, Overlap::hides));
    builder.add({1}, range(100, 50), "first");
    CHECK(builder.add({5}, range(100, 10), "second") == 1);
    CHECK(builder.size() == 2);
    const auto map = std::move(builder).build();
    CHECK(at(map, 100, 4) == "first");
    CHECK(at(map, 149, 4) == "first");
    CHECK(at(map, 100, 5) == "second");
    CHECK(at(map, 110, 5) == "-");
    CHECK(map.entries()[0].until == Time{5});
    CHECK(map.entries().size() == 2);
}

TEST_CASE("Of many changes at one time the last state counts", "[timeline][versioned_map]") {
    Map::Builder builder(GENERATE(Overlap::ends, Overlap::hides));
    for (int round = 0; round < 50; ++round) {
        for (std::uint64_t slot = 0; slot < 20; ++slot) {
            builder.add({7}, range(100 * slot, 100), std::to_string(round) + "." + std::to_string(slot));
            if (round % 2 == 1 && slot % 3 == 0) builder.remove({7}, {100 * slot});
        }
    }
    const auto map = std::move(builder).build();
    REQUIRE(map.entries().size() == 1000);
    for (std::uint64_t slot = 0; slot < 20; ++slot) {
        INFO("slot " << slot);
        CHECK(at(map, 100 * slot + 50, 6) == "-");
        CHECK(at(map, 100 * slot + 50, 7) == (slot % 3 == 0 ? "-" : "49." + std::to_string(slot)));
    }
    CHECK(map.entries()[0].from == Time{7});
    CHECK(map.entries()[0].until == Time{7});  // registered and removed in one nanosecond: never present
}

TEST_CASE("Adjacent ranges do not touch each other", "[timeline][versioned_map]") {
    Map::Builder builder(GENERATE(Overlap::ends, Overlap::hides));
    builder.add({1}, range(100, 10), "a");
    builder.add({1}, range(110, 10), "b");
    builder.add({1}, range(90, 10), "c");
    builder.remove({2}, {110});
    const auto map = std::move(builder).build();
    CHECK(at(map, 99, 1) == "c");
    CHECK(at(map, 100, 1) == "a");
    CHECK(at(map, 109, 1) == "a");
    CHECK(at(map, 110, 1) == "b");
    CHECK(at(map, 109, 2) == "a");
    CHECK(at(map, 110, 2) == "-");
}

TEST_CASE("Ranges at both ends of the address space are found and end each other", "[timeline][versioned_map]") {
    Map::Builder builder(Overlap::ends);
    builder.add({1}, range(0, 1), "zero");
    builder.add({1}, range(last_address, 1), "last");
    builder.add({2}, range(last_address - 3, 0x1000), "cut");  // extends beyond the end: cut there
    const auto map = std::move(builder).build();
    CHECK(at(map, 0, 2) == "zero");
    CHECK(at(map, 1, 2) == "-");
    CHECK(at(map, last_address, 1) == "last");
    CHECK(at(map, last_address - 1, 1) == "-");
    CHECK(at(map, last_address, 2) == "cut");
    CHECK(at(map, last_address - 3, 2) == "cut");
    CHECK(at(map, last_address - 4, 2) == "-");
    CHECK(map.entries()[1].until == Time{2});
}
