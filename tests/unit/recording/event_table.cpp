// SPDX-License-Identifier: MIT
#include "perfdata/recording/event_table.hpp"

#include "catch.hpp"
#include "support/attr.hpp"
#include "support/random.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Event event(std::uint64_t sample_type, std::vector<EventId> ids) {
    Event made;
    made.attr = sampling_attr(sample_type);
    made.ids = std::move(ids);
    return made;
}

EventIndex of_sample(const EventTable& table, std::uint64_t type, const SampleValues& values, std::endian order) {
    const auto blob = sample(type, values, {.order = order, .trailer = {}, .misc = 0});
    const auto found = table.of_sample(blob.data(), blob.size(), AnyOrder(order));
    const auto fixed = order == std::endian::little
                           ? table.of_sample(blob.data(), blob.size(), FixedOrder<std::endian::little>{})
                           : table.of_sample(blob.data(), blob.size(), FixedOrder<std::endian::big>{});
    CHECK(fixed == found);
    return found;
}

EventIndex of_other(const EventTable& table, std::uint64_t type, const SampleValues& values, std::endian order) {
    const auto blob =
        encode(Comm{{1}, {2}, "a name", false}, {.order = order, .trailer = trailer(order, type, values), .misc = 0});
    return table.of_other(view(blob, order));
}

SampleValues with_ids(std::uint64_t identifier, std::uint64_t id) {
    SampleValues values;
    values.identifier = identifier;
    values.id = id;
    return values;
}

constexpr auto by_identifier = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::time;
constexpr auto by_id = sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::id | sample_bit::cpu;

}  // namespace

TEST_CASE("A table compiles each event's layouts from its attr", "[recording][event_table]") {
    const EventTable table({event(by_identifier, {{1}}), event(by_id, {{2}})});
    REQUIRE(table.events().size() == 2);
    CHECK(table.events()[0].sample.offsets().id == 8);
    CHECK(table.events()[0].sample.variable_offset() == 40);
    CHECK(table.events()[0].trailer.size() == 24);
    CHECK(table.events()[1].sample.offsets().id == 32);
    CHECK(table.events()[1].trailer.id_from_end() == 16);
}

TEST_CASE("find gives the event of every id and of no other", "[recording][event_table]") {
    std::vector<EventId> even, odd;
    for (std::uint64_t id = 1; id <= 5000; ++id) (id % 2 == 0 ? even : odd).push_back({id << 32 | id * 7});
    const EventTable table({event(by_id, even), event(by_id, odd)});
    for (const auto id : even) REQUIRE(table.find(id.value) == 0u);
    for (const auto id : odd) REQUIRE(table.find(id.value) == 1u);
    CHECK_FALSE(table.find(0));
    CHECK_FALSE(table.find(7));
    CHECK_FALSE(table.find(~std::uint64_t{0}));
    CHECK_FALSE(EventTable().find(1));
}

TEST_CASE("Ids that differ only in their high half are told apart", "[recording][event_table]") {
    const EventTable table({event(by_id, {{0x100000001}}), event(by_id, {{0x200000001}})});
    CHECK(table.find(0x100000001) == 0u);
    CHECK(table.find(0x200000001) == 1u);
    CHECK_FALSE(table.find(1));
}

TEST_CASE("An id of two events is the first's", "[recording][event_table]") {
    const EventTable table({event(by_id, {{5}, {5}}), event(by_id, {{5}, {6}})});
    CHECK(table.find(5) == 0u);
    CHECK(table.find(6) == 1u);
}

TEST_CASE("The only event takes every record, whatever its id", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const EventTable table({event(by_id, {{48}})});
    CHECK(of_sample(table, by_id, with_ids(0, 999), order) == 0u);
    CHECK(of_other(table, by_id, with_ids(0, 999), order) == 0u);
    const EventTable without_id({event(sample_bit::ip, {})});
    CHECK(of_sample(without_id, sample_bit::ip, {}, order) == 0u);
}

TEST_CASE("An empty table has no event for any record", "[recording][event_table]") {
    const EventTable table;
    CHECK(table.empty());
    CHECK_FALSE(of_other(table, by_id, {}, std::endian::little));
    CHECK_FALSE(of_sample(table, by_id, {}, std::endian::little));
    CHECK_FALSE(of_sample(EventTable(std::vector<Event>{}), by_id, {}, std::endian::little));
}

TEST_CASE("Records of several events are told apart by their id", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = GENERATE(by_identifier, by_id);
    const EventTable table({event(type, {{48}, {49}}), event(type, {{50}}), event(type, {{51}})});
    const std::pair<std::uint64_t, std::uint32_t> pairs[] = {{48, 0}, {49, 0}, {50, 1}, {51, 2}};
    for (const auto& [id, index] : pairs) {
        CAPTURE(id);
        CHECK(of_sample(table, type, with_ids(id, id), order) == index);
        CHECK(of_other(table, type, with_ids(id, id), order) == index);
    }
}

TEST_CASE("Events that keep their id at different places are told apart", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const EventTable table({event(by_identifier, {{48}}), event(by_id, {{50}})});
    CHECK(of_sample(table, by_identifier, with_ids(48, 0), order) == 0u);
    CHECK(of_sample(table, by_id, with_ids(0, 50), order) == 1u);
    CHECK(of_other(table, by_identifier, with_ids(48, 0), order) == 0u);
    CHECK(of_other(table, by_id, with_ids(0, 50), order) == 1u);
}

TEST_CASE("An id counts only where its own event puts it", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Events 1 and 2 have their id at 32 (16 from the end), event 0 at 8 (8 from the end), which is tried first.
    const EventTable table({event(by_identifier, {{48}}), event(by_id, {{50}}), event(by_id, {{51}})});
    SampleValues values = with_ids(0, 51);
    values.ip = 50;  // at event 0's place, event 2's sample and trailer have the id of event 1
    CHECK(of_sample(table, by_id, values, order) == 2u);
    const RecordFrame frame{
        .order = order,
        .trailer = Writer(order).u64(0).u64(7).u64(51).u64(50).take(),  // TID, TIME, ID, CPU
        .misc = 0,
    };
    const auto blob = encode(Comm{{1}, {2}, "a name", false}, frame);
    CHECK(table.of_other(view(blob, order)) == 2u);
}

TEST_CASE("An unknown id belongs to no event", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = GENERATE(by_identifier, by_id);
    const EventTable table({event(type, {{48}}), event(type, {{50}})});
    CHECK_FALSE(of_sample(table, type, with_ids(999, 999), order));
    CHECK_FALSE(of_other(table, type, with_ids(999, 999), order));
}

TEST_CASE("A synthesized record, whose trailer is zero, takes the first event", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = GENERATE(by_identifier, by_id);
    const EventTable table({event(type, {{48}}), event(type, {{50}})});
    CHECK(of_other(table, type, with_ids(0, 0), order) == 0u);
    // A sample is never synthesized.
    CHECK_FALSE(of_sample(table, type, with_ids(0, 0), order));
}

TEST_CASE("Without sample_id_all in the first event all other records are the first's", "[recording][event_table]") {
    auto first = event(by_id, {{48}});
    first.attr.flags = 0;
    const EventTable table({first, event(by_id, {{50}})});
    CHECK(of_other(table, by_id, with_ids(0, 50), std::endian::little) == 0u);
    CHECK(of_sample(table, by_id, with_ids(0, 50), std::endian::little) == 1u);
}

TEST_CASE("Several events without ids all count as the first", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const EventTable no_ids({event(by_id, {}), event(by_id, {})});
    CHECK(of_sample(no_ids, by_id, with_ids(0, 50), order) == 0u);
    CHECK(of_other(no_ids, by_id, with_ids(0, 50), order) == 0u);
    const EventTable no_place({event(sample_bit::ip, {{1}}), event(sample_bit::ip, {{2}})});
    CHECK(of_sample(no_place, sample_bit::ip, {}, order) == 0u);
    CHECK(of_other(no_place, sample_bit::ip, {}, order) == 0u);
}

TEST_CASE("Records too short for an id are not read beyond their end", "[recording][event_table]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const EventTable table({event(by_id, {{48}}), event(by_id, {{50}})});
    const auto bare = bare_record(order, 9, 0, 8);
    CHECK_FALSE(table.of_sample(bare.data(), bare.size(), AnyOrder(order)));
    CHECK_FALSE(table.of_other(view(bare, order)));
    const Blob almost = joined({bare_record(order, 9, 0, 39), Blob(31)});
    CHECK_FALSE(table.of_sample(almost.data(), almost.size(), AnyOrder(order)));
}

TEST_CASE("Hardware and software events have perf's names", "[recording][event_table]") {
    const auto name = [](std::uint32_t type, std::uint64_t config) {
        Attr attr;
        attr.type = type;
        attr.config = config;
        return default_event_name(attr);
    };
    CHECK(name(0, 0) == "cycles");
    CHECK(name(0, 1) == "instructions");
    CHECK(name(0, 5) == "branch-misses");
    CHECK(name(0, 9) == "ref-cycles");
    CHECK(name(0, 0x400000000) == "cycles");  // PMU 4 of a hybrid CPU
    CHECK(name(1, 0) == "cpu-clock");
    CHECK(name(1, 1) == "task-clock");
    CHECK(name(1, 9) == "dummy");
    CHECK(name(1, 11) == "cgroup-switches");
    CHECK(name(4, 0x1c2) == "raw 0x1c2");
    CHECK(name(0, 10) == "type 0 config 0xa");
    CHECK(name(1, 12) == "type 1 config 0xc");
    CHECK(name(2, 0xffffffffffffffff) == "type 2 config 0xffffffffffffffff");
}

TEST_CASE("What recent ids say is what the table says", "[recording][event_table][property]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto seed = GENERATE(1u, 22u);
    Random random(seed);
    // Ids that follow each other, and some that share a slot with them.
    std::vector<EventId> ids[3];
    for (std::uint64_t id = 1; id <= 60; ++id) ids[random.size(3)].push_back({id % 3 == 0 ? id << 32 : id});
    const EventTable table({event(by_identifier, ids[0]), event(by_id, ids[1]), event(by_identifier, ids[2])});
    EventTable::RecentIds recent;
    std::size_t found = 0, differences = 0;
    for (int step = 0; step < 20000; ++step) {
        auto values = with_ids(random.below(64), random.below(64));
        if (random.one_in(3)) values.identifier <<= 32;
        const auto type = random.one_in(3) ? by_id : by_identifier;
        auto blob = sample(type, values, {.order = order, .trailer = {}, .misc = 0});
        if (random.one_in(10)) blob.resize(8 + random.size(blob.size() - 8));
        const auto alone = table.of_sample(blob.data(), blob.size(), AnyOrder(order));
        found += static_cast<std::size_t>(static_cast<bool>(alone));
        differences +=
            static_cast<std::size_t>(table.of_sample(blob.data(), blob.size(), AnyOrder(order), recent) != alone);
    }
    CHECK(differences == 0);
    CHECK(found > 5000);
}
