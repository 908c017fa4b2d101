// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("THREAD_MAP gives the threads; a name may lack its NUL", "[wire][thread_map]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order)
                          .u64(2)
                          .u64(0x1122334455667788)
                          .padded_text("sh", 16)
                          .u64(~std::uint64_t{0})
                          .text("sixteen-letters-")
                          .take();
    check_fields<ThreadMap>(order, body,
                            {"nr=2", "entries[0].pid=1234605616436508552", "entries[0].comm='sh'",
                             "entries[1].pid=18446744073709551615", "entries[1].comm='sixteen-letters-'"});
    const RecordCase<ThreadMap> got(order, body);
    CHECK(got->size() == 2);
    CHECK(got->thread(0).pid == 0x1122334455667788);
    CHECK(got->thread(1).comm == "sixteen-letters-");
    check_needs<ThreadMap>(order, body, 16 + 48);
    check_needs<ThreadMap>(order, Blob(8), 16);
    CHECK(ThreadMap::min_bytes == 16);
    for (const auto count : wild_counts) check_refused<ThreadMap>(order, Writer(order).u64(count).zeros(96).take());
    check_refused<ThreadMap>(order, Writer(order).u64(3).zeros(71).take());
}

TEST_CASE("STAT_CONFIG gives its terms", "[wire][stat_config]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(2).u64(1).u64(0x1122334455667788).u64(9).u64(4).take();
    check_fields<StatConfig>(order, body,
                             {"nr=2", "data[0].tag=1", "data[0].tag_text='interval'", "data[0].val=1234605616436508552",
                              "data[1].tag=9", "data[1].val=4"});
    const RecordCase<StatConfig> got(order, body);
    CHECK(got->term(1).tag == 9);
    CHECK(got->term(1).value == 4);
    check_needs<StatConfig>(order, body, 16 + 32);
    check_needs<StatConfig>(order, Blob(8), 16);
    CHECK(StatConfig::min_bytes == 16);
    for (const auto count : wild_counts) check_refused<StatConfig>(order, Writer(order).u64(count).zeros(96).take());
    check_refused<StatConfig>(order, Writer(order).u64(3).zeros(47).take());
}

TEST_CASE("STAT_CONFIG terms have names", "[wire][stat_config]") {
    Lines names;
    for (std::uint64_t tag = 0; tag < 5; ++tag) names.emplace_back(stat_config_name(tag));
    CHECK(names == Lines{"aggr_mode", "interval", "scale", "aggr_level", ""});
    CHECK(stat_config_name(~std::uint64_t{0}).empty());
}

TEST_CASE("STAT gives one counter", "[wire][stat]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).u32(0xffffffff).u32(2).u64(3).u64(4).u64(5).take();
    check_fields<Stat>(order, body,
                       {"id=1234605616436508552", "cpu=4294967295", "thread=2", "val=3", "ena=4", "run=5"});
    const RecordCase<Stat> got(order, body);
    CHECK(got->id == EventId{0x1122334455667788});
    CHECK(got->cpu == 0xffffffff);
    CHECK(got->thread == 2);
    CHECK(got->value == 3);
    CHECK(got->time_enabled == 4);
    CHECK(got->time_running == 5);
    check_needs<Stat>(order, body, 48);
    CHECK(Stat::min_bytes == 48);
}

TEST_CASE("STAT_ROUND gives kind and time", "[wire][stat_round]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(1).u64(0x1122334455667788).take();
    check_fields<StatRound>(order, body, {"type=1", "time=1234605616436508552ns"});
    CHECK(static_cast<StatRound::Kind>(RecordCase<StatRound>(order, body)->kind) == StatRound::Kind::final);
    check_needs<StatRound>(order, body, 24);
    CHECK(StatRound::min_bytes == 24);
}
