// SPDX-License-Identifier: MIT
// Recordings of perf stat that are damaged or made to hurt.
#include <cmath>
#include <limits>

#include "unit/annotate/counted.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Values that belong nowhere are counted and told", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).event(attr_type::software, 3, "cs", {3, 4});
    counted.value(1, 0, 0, 1, 1, 1);  // before the maps
    counted.of_cpus({0, 1}, aggr::none);
    counted.value(99, 0, 0, 1, 1, 1).value(1, 2, 0, 1, 1, 1).value(1, Counted::any, 0, 1, 1, 1);
    counted.value(1, 0, 1, 1, 1, 1).value(1, 0, Counted::any, 1, 1, 1);
    counted.value(1, 0, 0, 5, 10, 10).round(1000, true);
    counted.value(1, 0, 0, 6, 10, 10);  // behind the last round
    const auto [tables, reading] = counted.read();
    CHECK(reading.values == 8);
    CHECK(reading.unplaced == 1);
    CHECK(reading.unknown_event == 1);
    CHECK(reading.unknown_cpu == 2);
    CHECK(reading.unknown_thread == 2);
    CHECK(reading.behind == 1);
    CHECK_FALSE(reading.completeness.lossless());
    CHECK(reading.completeness.diagnostics.count() == 7);
    CHECK(tables.at(0).rows.at(0).value == 5);
    const auto json = Json::parsed(counted.json());
    REQUIRE(json);
    CHECK((*json)["read"]["unknown_cpu"].number() == 2);
    CHECK((*json)["read"]["behind_last_round"].number() == 1);
}

TEST_CASE("Second maps and settings are not used, and told", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process();
    counted.threads({{1, "a"}, {2, "b"}}).cpus({0, 1}).config(aggr::none, 100).value(1, 5).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK(reading.completeness.diagnostics.count() == 3);
    CHECK(reading.facts.interval == 0);
    CHECK(reading.facts.threads.size() == 1);
    CHECK(tables.at(0).rows.at(0).value == 5);
}

TEST_CASE("Without maps there are no rounds", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).cpus({0}).value(1, 0, 0, 1, 1, 1).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK(tables.empty());
    CHECK(reading.rounds == 1);
    CHECK(reading.completeness.diagnostics.count() == 2);
}

TEST_CASE("Times and values that make no sense are shown as they are", "[annotate][stat][hostile]") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    struct Case {
        std::uint64_t value, enabled, running, shown;
        StatState state;
    };
    const auto [value, enabled, running, shown, state] = GENERATE(values<Case>({
        {10, 5, 50, 10, StatState::counted},           // running longer than enabled
        {10, 0, 50, 0, StatState::not_counted},        // never enabled
        {10, 50, 0, 0, StatState::not_counted},        // never running
        {most, most, 1, most, StatState::counted},     // more than there are numbers
        {most, 1, 1, most, StatState::counted},        //
        {most, most, most, most, StatState::counted},  //
    }));
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process();
    counted.value(1, Counted::any, 0, value, enabled, running).round(1, true);
    const auto row = counted.read().tables.at(0).rows.at(0);
    CHECK(row.state == state);
    CHECK(row.value == shown);
    CHECK(row.raw == value);
    CHECK(Json::parsed(counted.json()));
    CHECK(counted.text().find("page-faults") != std::string::npos);
    CHECK(counted.text({}, ",").find("page-faults") != std::string::npos);
}

TEST_CASE("Counters that run backwards wrap, as in perf", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process(100);
    counted.value(1, 10).round(1).value(1, Counted::any, 0, 3, 2000, 2000).round(2);
    CHECK(counted.read().tables.at(1).rows.at(0).raw == ~std::uint64_t{6});
}

TEST_CASE("Any scale is taken", "[annotate][stat][hostile]") {
    const auto scale =
        GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e308, -1.0, 0.0);
    Counted counted;
    counted.clock({1}).event(attr_type::hardware, 0, "cycles", {2}).event(attr_type::hardware, 1, "instructions", {3});
    counted.scale(1, scale).scale(2, scale).of_process().value(1, 5000).value(2, 7000).value(3, 9000).round(9000, true);
    const auto text = counted.text();
    CHECK(text.find("instructions") != std::string::npos);
    CHECK(text.size() < 2000);
    CHECK_FALSE(counted.text({}, ";").empty());
    const auto json = Json::parsed(counted.json());
    REQUIRE(json);
    CHECK((*json)["events"][0]["scale"].is_null() == !std::isfinite(scale));
    CHECK((*json)["rounds"][0]["values"][0]["raw"].number() == 5000);
}

TEST_CASE("Names do not command a terminal and are not repeated at length", "[annotate][stat][hostile]") {
    Counted counted;
    const std::string name = "\x1b[31m" + std::string(20'000, 'n');
    counted.event(attr_type::software, 2, name, {1}).unit(1, "\nunit\x7f").threads({{7, "\x1b[2J"}}).cpus({0xffff});
    counted.config(aggr::thread, 100).command({"perf\n", "\x1b[1m"});
    for (std::uint64_t round = 1; round <= 50; ++round) counted.value(1, round).round(round);
    const auto text = counted.text();
    CHECK(text.size() < 60'000);
    for (const char c : text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
    CHECK(text.find("\\x0aunit") != std::string::npos);
    CHECK(Json::parsed(counted.json()));
}

TEST_CASE("Short maps of many CPUs do not make endless rows", "[annotate][stat][hostile]") {
    Counted counted;
    for (std::uint64_t id = 1; id <= 64; ++id) counted.event(attr_type::software, 2, "page-faults", {id});
    counted.threads({{0xffffffff, ""}}).cpu_range(0, 65535).config(aggr::none, 1);
    for (std::uint64_t round = 1; round <= 100; ++round) counted.value(1, 0, 0, round, round, round).round(round);
    std::uint64_t rows = 0;
    const auto reading = read_stat(counted.recording(), {},
                                   [&](const StatFacts&, const StatTable& table) { rows += table.rows.size(); });
    REQUIRE(reading);
    CHECK(reading->rounds == 100);
    CHECK(reading->hidden_rounds == 100);
    CHECK(rows == 0);
    CHECK_FALSE(reading->completeness.lossless());
}

TEST_CASE("Many final rounds do not repeat a long command line", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", std::string(50'000, 'x')}).of_process();
    for (std::uint64_t round = 1; round <= 20; ++round) counted.value(1, round).round(round, true);
    const auto text = counted.text();
    CHECK(text.find("perf xxx") != std::string::npos);
    CHECK(text.find("perf ...") != std::string::npos);
    CHECK(text.size() < 60'000);
}

TEST_CASE("CPUs that the recording does not place are counted and told", "[annotate][stat][hostile]") {
    const auto mode = GENERATE(StatMode::socket, StatMode::die, StatMode::core, StatMode::node);
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).topology({{0, 0}}).nodes({{0, "0,x"}});
    counted.of_cpus({0, 7}, aggr::none).value(1, 0, 0, 1, 1, 1).value(2, 7, 0, 2, 1, 1).round(1, true);
    const auto [tables, reading] = counted.read(mode);
    CHECK(reading.unknown_places == 1);
    CHECK_FALSE(reading.completeness.lossless());
    REQUIRE(tables.at(0).rows.size() == 2);
    CHECK(tables[0].rows[0].value == 2);  // -1 comes first
}

TEST_CASE("Overlapping nodes cost no more than their lists", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1});
    std::vector<std::pair<std::uint32_t, std::string>> nodes;
    for (std::uint32_t node = 0; node < 2000; ++node) nodes.emplace_back(node, "0-99999999999,5-,3-1,-");
    counted.nodes(nodes).threads({{0xffffffff, ""}}).cpu_range(0, 65535).config(aggr::global);
    counted.value(1, 0, 0, 1, 1, 1).round(1, true);
    const auto rows = counted.read(StatMode::node).tables.at(0).rows;
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].place.node == 1999);
}

TEST_CASE("A mode of CPUs without CPUs adds all values up", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).threads({{7, "a"}}).cpus({0xffff}).config(aggr::core);
    counted.value(1, 5).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK(reading.facts.mode == StatMode::global);
    CHECK(tables.at(0).rows.at(0).value == 5);
    CHECK_FALSE(reading.completeness.lossless());
}

TEST_CASE("A mode that is not shown here adds all values up", "[annotate][stat][hostile]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_cpus({0}, 4).version("6.12.1");
    counted.value(1, 0, 0, 5, 1, 1).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK_FALSE(reading.facts.recorded);
    CHECK(reading.facts.mode == StatMode::global);
    CHECK(reading.completeness.diagnostics.count() == 1);
    CHECK(counted.read(StatMode::none).reading.completeness.lossless());
}

TEST_CASE("Values of CPUs that are in no group are counted and told", "[annotate][stat][hostile]") {
    const auto mode = GENERATE(StatMode::socket, StatMode::die, StatMode::core, StatMode::node);
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).event(20, 1, "uncore", {2, 3}).own_cpus(2, {0, 5});
    counted.topology({{0, 0}, {1, 0}}).nodes({{0, "0-1"}}).of_cpus({0, 1}, aggr::none, 100);
    counted.value(2, 0, 0, 100, 5, 5).value(3, 5, 0, 700, 5, 5).round(1);
    counted.value(2, 0, 0, 101, 6, 6).value(3, 5, 0, 701, 6, 6).round(2);
    const auto [tables, reading] = counted.read(mode);
    CHECK(reading.outside_groups == 2);
    CHECK(reading.completeness.diagnostics.count() == 1);
    CHECK_FALSE(reading.completeness.lossless());
    std::uint64_t sum = 0;
    for (const auto& row : tables.at(0).rows) sum += row.value;
    CHECK(sum == 100);
    const auto json = Json::parsed(counted.json(mode));
    REQUIRE(json);
    CHECK((*json)["read"]["outside_groups"].number() == 2);
    CHECK(counted.read(StatMode::none).reading.completeness.lossless());
    CHECK(counted.read(StatMode::global).reading.completeness.lossless());
}

TEST_CASE("Values by CPU of other threads than the first are counted and told", "[annotate][stat][hostile]") {
    const auto mode = GENERATE(StatMode::none, StatMode::core);
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).topology({{0, 0}, {1, 0}});
    counted.threads({{1, "a"}, {2, "b"}}).cpus({0, 1}).config(mode == StatMode::none ? aggr::none : aggr::core);
    counted.value(1, 0, 0, 1, 5, 5).value(1, 0, 1, 7, 5, 5).value(2, 1, 1, 9, 5, 5).round(1, true);
    const auto [tables, reading] = counted.read();
    CHECK(reading.other_threads == 2);
    CHECK(reading.completeness.diagnostics.count() == 1);
    CHECK_FALSE(reading.completeness.lossless());
    CHECK(tables.at(0).rows.at(0).value == 1);
    const auto json = Json::parsed(counted.json());
    REQUIRE(json);
    CHECK((*json)["read"]["other_threads"].number() == 2);
    const auto all = counted.read(StatMode::thread);
    CHECK(all.reading.completeness.lossless());
    CHECK(all.tables.at(0).rows.at(0).value == 16);
}

TEST_CASE("Values without any round are a loss, with intervals as well", "[annotate][stat][hostile]") {
    const std::uint64_t interval = GENERATE(std::uint64_t{0}, std::uint64_t{100});
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process(interval).value(1, 700);
    const auto [tables, reading] = counted.read();
    CHECK(tables.empty());
    CHECK(reading.behind == 1);
    CHECK_FALSE(reading.completeness.lossless());
}

TEST_CASE("Settings behind what they are for are told", "[annotate][stat][hostile]") {
    const auto recording = [](std::uint64_t mode, bool behind_round) {
        Counted counted;
        counted.event(attr_type::software, 2, "page-faults", {1, 2}).threads({{0xffffffff, ""}}).cpus({0, 1});
        counted.value(1, 0, 0, 100, 5, 5).value(2, 1, 0, 700, 5, 5);
        if (behind_round) return std::move(counted.round(1, true).config(mode));
        return std::move(counted.config(mode).round(1, true));
    };
    auto late = recording(aggr::none, false);
    const auto [tables, reading] = late.read();
    CHECK(reading.facts.mode == StatMode::global);
    CHECK(reading.facts.recorded == StatMode::none);
    CHECK(tables.at(0).rows.at(0).value == 800);
    CHECK(reading.completeness.diagnostics.count() == 1);
    // It makes no difference.
    CHECK(late.read(StatMode::none).reading.completeness.lossless());
    CHECK(recording(aggr::global, false).read().reading.completeness.lossless());
    CHECK(recording(aggr::global, true).read().reading.completeness.diagnostics.count() == 1);
}

TEST_CASE("Sums of estimates that are too large do not wrap", "[annotate][stat][hostile]") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).topology({{0, 0}, {1, 0}});
    counted.threads({{1, "a"}}).cpus({0, 1}).config(aggr::none);
    counted.value(1, 0, 0, most - 1, 100, 1).value(2, 1, 0, most - 1, 100, 1).round(1, true);
    CHECK(counted.read(StatMode::socket).tables.at(0).rows.at(0).value == most);
    CHECK(counted.read(StatMode::thread).tables.at(0).rows.at(0).value == most);
    CHECK(counted.read(StatMode::global).tables.at(0).rows.at(0).value == most);
    CHECK(counted.read(StatMode::socket).tables.at(0).rows.at(0).raw == most - 3);
}
