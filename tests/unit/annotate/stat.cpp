// SPDX-License-Identifier: MIT
#include "perfdata/annotate/stat/stat.hpp"

#include <tuple>
#include <vector>

#include "unit/annotate/counted.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t hardware_cycles = 0;

// One software event with an id for each of two CPUs.
Counted two_cpus(std::uint64_t mode, std::uint64_t interval = 0) {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2});
    counted.topology({{0, 0}, {1, 0}}).of_cpus({0, 1}, mode, interval);
    return counted;
}

}  // namespace

TEST_CASE("All values of an event are added up", "[annotate][stat]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Counted counted(order);
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).of_cpus({0, 1}, aggr::global);
    counted.value(1, 0, 0, 5, 100, 100).value(2, 1, 0, 7, 100, 100).round(1000, true);
    const auto [tables, reading] = counted.read();
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].is_final);
    CHECK(tables[0].time == Time{1000});
    REQUIRE(tables[0].rows.size() == 1);
    const auto& row = tables[0].rows[0];
    CHECK(row.state == StatState::counted);
    CHECK(row.value == 12);
    CHECK(row.raw == 12);
    CHECK(row.enabled == 200);
    CHECK(row.running == 200);
    CHECK(row.amount == 12.0);
    CHECK_FALSE(row.metric.has_value());
    CHECK(reading.facts.mode == StatMode::global);
    CHECK(reading.facts.recorded == StatMode::global);
    CHECK(reading.facts.elapsed == 1000.0);
    CHECK(reading.facts.per_cpu);
    CHECK(reading.values == 2);
    CHECK(reading.rounds == 1);
    CHECK(reading.is_stat());
    CHECK(reading.completeness.lossless());
}

TEST_CASE("A round has what was counted since the round before", "[annotate][stat]") {
    const auto mode = GENERATE(aggr::none, aggr::global, aggr::core);
    auto counted = two_cpus(mode, 100);
    counted.value(1, 0, 0, 5, 100, 100).value(2, 1, 0, 7, 100, 100).round(1000);
    counted.value(1, 0, 0, 9, 250, 200).value(2, 1, 0, 7, 300, 300).round(2000);
    const auto [tables, reading] = counted.read();
    REQUIRE(tables.size() == 2);
    CHECK(reading.facts.interval == 100);
    const auto& rows = tables[1].rows;
    if (mode == aggr::global) {
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].raw == 4);
        CHECK(rows[0].enabled == 350);
        CHECK(rows[0].running == 300);
        CHECK(rows[0].value == 4);  // 4.67
        return;
    }
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].raw == 4);
    CHECK(rows[0].value == 6);  // enabled for 150, running for 100
    CHECK(rows[0].enabled == 150);
    CHECK(rows[0].running == 100);
    CHECK(rows[1].value == 0);
    CHECK(rows[1].state == StatState::counted);
    CHECK(rows[1].enabled == 200);
}

TEST_CASE("Values are not estimated if STAT_CONFIG says so", "[annotate][stat]") {
    Counted counted;
    counted.event(attr_type::hardware, hardware_cycles, "cycles", {1}).threads({{7, "a"}}).cpus({0xffff});
    counted.config(aggr::global, 0, 0).value(1, Counted::any, 0, 10, 100, 50).round(1, true);
    const auto row = counted.read().tables.at(0).rows.at(0);
    CHECK(row.value == 10);
    CHECK(row.enabled == 100);
    CHECK(row.running == 50);
}

TEST_CASE("A counter that never ran has no value, and an event without values is not supported", "[annotate][stat]") {
    Counted counted;
    counted.event(attr_type::hardware, hardware_cycles, "cycles", {1})
        .event(attr_type::hardware, 1, "instructions", {2});
    counted.of_process().value(1, Counted::any, 0, 0, 100, 0).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK(tables.at(0).rows.at(0).state == StatState::not_counted);
    CHECK(tables[0].rows.at(1).state == StatState::not_supported);
    CHECK(reading.facts.events[0].supported);
    CHECK_FALSE(reading.facts.events[1].supported);
}

TEST_CASE("CPUs are added up by socket, die, core and node", "[annotate][stat]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2, 3, 4});
    // CPUs 0 and 2 share a core, 3 is on a socket of its own.
    counted.topology({{0, 0}, {1, 0}, {0, 0}, {0, 1}}, {0, 5, 0, 0}).nodes({{0, "0-1"}, {8, "2,3"}});
    counted.of_cpus({0, 1, 2, 3}, aggr::none);
    counted.value(1, 0, 0, 1, 10, 10).value(2, 1, 0, 2, 10, 10).value(3, 2, 0, 4, 10, 10).value(4, 3, 0, 8, 10, 10);
    counted.round(1, true);
    const auto sums = [&](StatMode mode) {
        std::vector<std::tuple<StatPlace, std::uint32_t, std::uint64_t>> all;
        const auto read = counted.read(mode);
        for (const auto& row : read.tables.at(0).rows) all.emplace_back(row.place, row.cpus, row.value);
        return all;
    };
    const auto socket = sums(StatMode::socket);
    REQUIRE(socket.size() == 2);
    CHECK(socket[0] == std::tuple(StatPlace{-1, 0}, 3u, std::uint64_t{7}));
    CHECK(socket[1] == std::tuple(StatPlace{-1, 1}, 1u, std::uint64_t{8}));
    const auto die = sums(StatMode::die);
    REQUIRE(die.size() == 3);
    CHECK(die[1] == std::tuple(StatPlace{-1, 0, 5}, 1u, std::uint64_t{2}));
    const auto core = sums(StatMode::core);
    REQUIRE(core.size() == 3);
    CHECK(core[0] == std::tuple(StatPlace{-1, 0, 0, 0}, 2u, std::uint64_t{5}));
    const auto node = sums(StatMode::node);
    REQUIRE(node.size() == 2);
    CHECK(node[1] == std::tuple(StatPlace{-1, -1, -1, -1, 8}, 2u, std::uint64_t{12}));
    CHECK(sums(StatMode::global).at(0) == std::tuple(StatPlace{}, 0u, std::uint64_t{15}));
    CHECK(counted.read(StatMode::node).reading.completeness.lossless());
}

TEST_CASE("One CPU that did not count leaves its group without a value", "[annotate][stat]") {
    auto counted = two_cpus(aggr::socket);
    counted.value(1, 0, 0, 5, 100, 100).value(2, 1, 0, 7, 100, 0).round(1, true);
    const auto row = counted.read().tables.at(0).rows.at(0);
    CHECK(row.state == StatState::not_counted);
    CHECK(row.cpus == 2);
    CHECK(row.enabled == 0);
}

TEST_CASE("Threads are in order of their values", "[annotate][stat]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2, 3}).threads({{7, "a"}, {8, "b"}, {9, "c"}});
    counted.cpus({0xffff}).config(aggr::thread);
    counted.value(1, Counted::any, 0, 3, 10, 10).value(2, Counted::any, 1, 20, 10, 10).round(1, true);
    const auto [tables, reading] = counted.read();
    const auto& rows = tables.at(0).rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].place.thread == 1);
    CHECK(rows[1].place.thread == 0);
    CHECK(rows[2].place.thread == 2);
    CHECK(rows[2].state == StatState::not_counted);
    CHECK(reading.facts.threads[1].tid == 8);
    CHECK(reading.facts.threads[1].comm == "b");
    // All of them as one, on request.
    CHECK(counted.read(StatMode::global).tables.at(0).rows.at(0).value == 23);
}

TEST_CASE("A mode that does not fit is not used", "[annotate][stat]") {
    auto of_cpus = two_cpus(aggr::none);
    of_cpus.value(1, 0, 0, 5, 100, 100).round(1, true);
    CHECK(of_cpus.read(StatMode::thread).reading.mode_refused);
    CHECK(of_cpus.read(StatMode::thread).reading.facts.mode == StatMode::none);
    Counted of_process;
    of_process.event(attr_type::software, 2, "page-faults", {1}).of_process().value(1, 5).round(1, true);
    for (const auto mode : {StatMode::none, StatMode::core, StatMode::node}) {
        const auto [tables, reading] = of_process.read(mode);
        CHECK(reading.mode_refused);
        CHECK(reading.facts.mode == StatMode::global);
        CHECK(tables.at(0).rows.at(0).value == 5);
    }
    CHECK_FALSE(of_process.read().reading.mode_refused);
}

TEST_CASE("An event may be counted on CPUs of its own", "[annotate][stat]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).event(20, 1, "uncore", {3}).own_cpus(3, {1});
    counted.of_cpus({0, 1}, aggr::none);
    counted.value(1, 0, 0, 5, 10, 10).value(2, 1, 0, 6, 10, 10).value(3, 1, 0, 7, 10, 10).round(1, true);
    const auto [tables, reading] = counted.read();
    REQUIRE(tables.at(0).rows.size() == 3);
    CHECK(tables[0].rows[2].place.cpu == 1);
    CHECK(tables[0].rows[2].value == 7);
    CHECK(reading.completeness.lossless());
}

TEST_CASE("Before 5.17 perf wrote indices of CPUs", "[annotate][stat]") {
    const auto* const version = GENERATE("5.16.20", "5.17.1", "6.1.0");
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).version(version).of_cpus({1, 2}, aggr::none);
    counted.value(1, 1, 0, 5, 10, 10).round(1, true);
    const auto [tables, reading] = counted.read();
    const auto& rows = tables.at(0).rows;
    REQUIRE(rows.size() == 2);
    CHECK(rows[std::string_view(version).starts_with("5.16") ? 1 : 0].value == 5);
    CHECK(reading.completeness.lossless());
}

TEST_CASE("What aggr_mode means depends on perf's version", "[annotate][stat]") {
    CHECK(recorded_stat_mode(4, "6.1.187", false) == StatMode::core);
    CHECK(recorded_stat_mode(7, "6.1.187", false) == StatMode::node);
    CHECK(recorded_stat_mode(3, "4.19", false) == StatMode::core);
    CHECK(recorded_stat_mode(4, "4.19", false) == StatMode::thread);
    CHECK(recorded_stat_mode(4, "6.6.1", true) == StatMode::cache);
    CHECK(recorded_stat_mode(4, "6.4.16", false) == StatMode::core);
    CHECK(recorded_stat_mode(5, "6.12.9", true) == StatMode::cache);
    CHECK_FALSE(recorded_stat_mode(4, "6.12.9", true));
    CHECK(recorded_stat_mode(5, "6.6.1", true) == StatMode::core);
    CHECK(recorded_stat_mode(6, "6.12.9-g1", true) == StatMode::core);
    CHECK(recorded_stat_mode(9, "7.0", true) == StatMode::node);
    CHECK(recorded_stat_mode(6, "", true) == StatMode::core);
    CHECK(recorded_stat_mode(5, "", false) == StatMode::thread);
    CHECK_FALSE(recorded_stat_mode(6, "", false));
    for (const auto number : {std::uint64_t{10}, ~std::uint64_t{0}}) {
        for (const auto* version : {"", "6.1", "6.12", "99999999999999999999.1"}) {
            CHECK_FALSE(recorded_stat_mode(number, version, true));
        }
    }
}

TEST_CASE("Reading counters stops when it is asked to", "[annotate][stat][stop]") {
    auto counted = two_cpus(aggr::none);
    // The walk looks every so often.
    for (unsigned count = 0; count < 10'000; ++count) counted.value(1, 0, 0, 5, 100, 100);
    StatOptions options;
    options.stop = StopToken([] { return true; });
    const auto stopped = read_stat(counted.recording(), options, [](const StatFacts&, const StatTable&) {});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("CPUs are added up by the cache that they share", "[annotate][stat]") {
    Counted counted(GENERATE(std::endian::little, std::endian::big));
    counted.event(attr_type::software, 2, "page-faults", {1, 2, 3, 4, 5});
    counted.topology({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}});
    // By level, as perf writes them. CPU 4 has no cache of level 3, and no CPU has one of level 4.
    counted.caches({{1, "Data", "0"},
                    {1, "Data", "1"},
                    {1, "Data", "2"},
                    {1, "Data", "3"},
                    {1, "Data", "4"},
                    {2, "Unified", "0,2"},
                    {2, "Unified", "1,3"},
                    {2, "Unified", "4"},
                    {3, "Unified", "0-3"}});
    counted.of_cpus({0, 1, 2, 3, 4}, aggr::none, 100);
    for (std::uint32_t cpu = 0; cpu < 5; ++cpu) counted.value(cpu + 1, cpu, 0, std::uint64_t{1} << cpu, 1, 1);
    counted.round(1);
    using Sum = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::uint32_t, std::uint64_t>;
    const auto sums = [&](std::uint32_t level) {
        std::vector<Sum> all;
        StatOptions options;
        options.mode = StatMode::cache;
        options.cache_level = level;
        const auto reading = read_stat(counted.recording(), options, [&](const StatFacts&, const StatTable& table) {
            for (const auto& row : table.rows) {
                all.emplace_back(row.place.socket, row.place.cache_level, row.place.cache, row.cpus, row.value);
            }
        });
        REQUIRE(reading);
        CHECK(reading->facts.cache_level == level);
        const std::uint64_t unplaced = level == 3 ? 1 : level == 4 ? 5 : 0;
        CHECK(reading->unknown_places == unplaced);
        CHECK(reading->completeness.lossless() == (level < 3));
        return all;
    };
    CHECK(sums(0) == std::vector<Sum>{{0, 3, 0, 4, 15}, {1, 2, 4, 1, 16}});
    CHECK(sums(2) == std::vector<Sum>{{0, 2, 0, 2, 5}, {0, 2, 1, 2, 10}, {1, 2, 4, 1, 16}});
    CHECK(sums(3) == std::vector<Sum>{{0, 3, 0, 4, 15}, {1, 3, -1, 1, 16}});
    CHECK(sums(4) == std::vector<Sum>{{0, 4, -1, 4, 15}, {1, 4, -1, 1, 16}});
    CHECK(counted.text(StatMode::cache)
              .find("     0.000000001 S0-D0-L3-ID0              4                 15      "
                    "page-faults") != std::string::npos);
    CHECK(counted.text(StatMode::cache)
              .starts_with("#           time cache                  cpus             counts "
                           "unit events\n"));
    CHECK(counted.text(StatMode::cache, ",") ==
          "     0.000000001,S0-D0-L3-ID0,4,15,,page-faults,4,100.00,,\n"
          "     0.000000001,S1-D0-L2-ID4,1,16,,page-faults,1,100.00,,\n");
}

TEST_CASE("A recording by cache is shown by the level that perf was asked for", "[annotate][stat]") {
    const auto [level, shown] = GENERATE(values<std::pair<std::uint64_t, std::uint32_t>>({{2, 2}, {5, 0}}));
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).topology({{0, 0}, {1, 0}}).version("6.8.1");
    counted.caches({{2, "Unified", "0"}, {2, "Unified", "1"}, {3, "Unified", "0-1"}});
    counted.threads({{0xffffffff, ""}}).cpus({0, 1});
    counted.add(RecordType::stat_config, Writer(std::endian::little).u64(2).u64(0).u64(4).u64(3).u64(level));
    counted.value(1, 0, 0, 3, 1, 1).value(2, 1, 0, 4, 1, 1).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK(reading.facts.recorded == StatMode::cache);
    CHECK(reading.facts.mode == StatMode::cache);
    CHECK(reading.facts.cache_level == shown);
    CHECK(reading.completeness.lossless());
    REQUIRE(tables.at(0).rows.size() == (level == 2 ? 2u : 1u));
    CHECK(tables[0].rows[0].value == (level == 2 ? 3u : 7u));
}

TEST_CASE("Overlapping caches cost no more than their lists", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1});
    std::vector<Counted::Cache> caches;
    for (std::uint32_t at = 0; at < 2000; ++at) caches.push_back({at % 5, "", "7-99999999999,5-,3-1,-"});
    caches.push_back({9, "", "99999999999999999999"});
    counted.caches(caches).threads({{0xffffffff, ""}}).cpu_range(0, 65535).config(aggr::global);
    counted.value(1, 8, 0, 1, 1, 1).round(1, true);
    const auto rows = counted.read(StatMode::cache).tables.at(0).rows;
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].place.cache == -1);
    CHECK(rows[1].place.cache == 7);
    CHECK(rows[1].place.cache_level == 4);
}

TEST_CASE("Damaged features with places of CPUs are told, and no cache stands for another", "[annotate][stat]") {
    // Caches of level 2, and the beginning of that of level 3.
    FeatureWriter body(std::endian::little);
    body.u32(1).u32(3);
    for (const auto* cpus : {"0", "1"}) {
        body.u32(2).u32(64).u32(64).u32(8).string("Unified").string("32K").string(cpus);
    }
    body.u32(3).u32(64).u32(64).u32(8).string("Unified");
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).topology({{0, 0}, {1, 0}});
    counted.feature(Feature::cache, body.take());
    FeatureWriter nodes(std::endian::little);
    nodes.u32(2).u32(0).u64(1).u64(1).string("0");
    counted.feature(Feature::numa_topology, nodes.take());
    counted.of_cpus({0, 1}, aggr::none).value(1, 0, 0, 3, 1, 1).value(1, 1, 0, 4, 1, 1).round(1, true);
    const auto caches = [&](std::uint32_t level) {
        StatOptions options;
        options.mode = StatMode::cache;
        options.cache_level = level;
        std::vector<std::int32_t> all;
        const auto reading = read_stat(counted.recording(), options, [&](const StatFacts&, const StatTable& table) {
            for (const auto& row : table.rows) all.push_back(row.place.cache);
        });
        REQUIRE(reading);
        const auto& told = reading->completeness.diagnostics.kept();
        REQUIRE(!told.empty());
        CHECK(told.front().where == "feature CACHE");
        CHECK(told.front().code == ErrorCode::truncated);
        CHECK_FALSE(reading->completeness.lossless());
        return all;
    };
    CHECK(caches(0) == std::vector<std::int32_t>{-1});
    CHECK(caches(2) == std::vector<std::int32_t>{0, 1});
    const auto [tables, reading] = counted.read(StatMode::node);
    REQUIRE(!reading.completeness.diagnostics.empty());
    CHECK(reading.completeness.diagnostics.kept().front().where == "feature NUMA_TOPOLOGY");
    CHECK(tables.at(0).rows.size() == 2);
}

TEST_CASE("A damaged topology of CPUs is told where rows need it", "[annotate][stat]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1});
    counted.feature(Feature::nrcpus, Writer(std::endian::little).u32(2).take());
    counted.feature(Feature::cpu_topology, Writer(std::endian::little).u32(7).take());
    counted.of_cpus({0, 1}, aggr::none).value(1, 0, 0, 3, 1, 1).value(1, 1, 0, 4, 1, 1).round(1, true);
    std::vector<std::string> places;
    const auto reading = counted.read(StatMode::core).reading;
    for (const auto& problem : reading.completeness.diagnostics.kept()) places.push_back(problem.where);
    CHECK(places == std::vector<std::string>{"feature NRCPUS", "feature CPU_TOPOLOGY", "feature CPU_TOPOLOGY"});
    CHECK(counted.read(StatMode::none).reading.completeness.lossless());
}
