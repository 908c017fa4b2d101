// SPDX-License-Identifier: MIT
// Groups of events and their ratios in reports.
#include <algorithm>

#include "catch.hpp"
#include "support/counter_scene.hpp"
#include "support/files.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/annotate/reported.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// The letters of the rows, in the order of each table of the text.
std::vector<std::string> rows_in_text(const Reported& reported) {
    std::vector<std::string> tables;
    std::string line;
    for (const char letter : letters(reported.text())) {
        if (letter != '\n') {
            line += letter;
            continue;
        }
        if (line.starts_with("# Samples") && (tables.empty() || !tables.back().empty())) tables.emplace_back();
        if (line.find("[k] ") != std::string::npos && !tables.empty()) tables.back() += line.back();
        line.clear();
    }
    return tables;
}

std::vector<std::vector<std::size_t>> columns_of(const Report& report) {
    std::vector<std::vector<std::size_t>> columns;
    for (const auto& table : report.tables) columns.push_back(table.columns);
    return columns;
}

using Columns = std::vector<std::vector<std::size_t>>;

}  // namespace

TEST_CASE("Events of a group are side by side, other events by themselves", "[annotate][report][groups]") {
    CounterScene scene(5);
    scene.sample('a', {100, 1, 1, 9, 1}).sample('b', {150, 2, 5, 9, 2}).sample('c', {170, 3, 5, 20, 3});
    scene.group("mine", 0, 3);
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    const auto columns = [&](ReportTables tables) {
        options.tables = tables;
        return columns_of(Reported(recording, options).report);
    };
    CHECK(columns(ReportTables::usual) == Columns{{0, 1, 2}, {3}, {4}});
    CHECK(columns(ReportTables::groups) == Columns{{0, 1, 2}, {3}, {4}});
    CHECK(columns(ReportTables::single) == Columns{{0}, {1}, {2}, {3}, {4}});
    options.tables = ReportTables::groups;
    const Reported reported(recording, options);
    CHECK(rows_in_text(reported) == std::vector<std::string>{"abc", "ca", "abc"});
    const auto& leader = recording.events().events()[0].name;
    CHECK(reported.text().find("# Group mine: 3 events, sorted by '" + leader + "'\n") != std::string::npos);
    REQUIRE(reported.report.groups.size() == 1);
    CHECK(reported.report.groups[0].name == "mine");
    const auto json = Json::parsed(reported.json());
    REQUIRE(json);
    CHECK((*json)["groups"].size() == 1);
}

TEST_CASE("Rows are in the order of the member that is asked for", "[annotate][report][groups]") {
    CounterScene scene(4);
    scene.sample('a', {100, 1, 1, 9}).sample('b', {150, 5, 7, 9}).sample('c', {170, 8, 9, 20});
    scene.group("", 0, 2).group("", 2, 2);
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    options.tables = ReportTables::groups;
    CHECK(rows_in_text(Reported(recording, options)) == std::vector<std::string>{"abc", "bca"});
    options.group_sort = 1;
    CHECK(rows_in_text(Reported(recording, options)) == std::vector<std::string>{"bca", "cab"});
    CHECK(letters(Reported(recording, options).symbol(0)) == "b");
    options.group_sort = 2;  // there is none
    CHECK(rows_in_text(Reported(recording, options)) == std::vector<std::string>{"abc", "bca"});
}

TEST_CASE("Without recorded groups all events are one, if they are to be", "[annotate][report][groups]") {
    CounterScene scene(5);
    scene.sample('a', {100, 1, 1, 9, 1});
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    CHECK(columns_of(Reported(recording, options).report).size() == 5);
    options.tables = ReportTables::groups;
    CHECK(columns_of(Reported(recording, options).report) == Columns{{0, 1, 2, 3, 4}});
}

TEST_CASE("A member without samples has a column beside its group", "[annotate][report][groups]") {
    CounterScene scene(3);
    scene.sample('a', {100, 0, 1}).group("", 0, 3);
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    CHECK(Reported(recording, options).report.events.size() == 2);
    options.tables = ReportTables::groups;
    const Reported reported(recording, options);
    CHECK(reported.report.events == std::vector<std::uint32_t>{0, 1, 2});
    const auto& idle = recording.events().events()[1].name;
    CHECK(reported.text().find("# Samples: 0 of event '" + idle + "', periods 0\n") != std::string::npos);
}

TEST_CASE("Wide groups have several tables", "[annotate][report][groups][hostile]") {
    constexpr std::size_t events = 150;
    CounterScene scene(events);
    scene.sample('a', std::vector<std::uint64_t>(events, 5)).group("", 0, events);
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    options.tables = ReportTables::groups;
    options.group_sort = 149;
    const Reported reported(recording, options);
    std::vector<std::size_t> sizes;
    for (const auto& table : reported.report.tables) {
        sizes.push_back(table.columns.size());
        CHECK(table.sort < table.columns.size());
    }
    CHECK(sizes == std::vector<std::size_t>{64, 64, 22});
    CHECK_FALSE(reported.text().empty());
}

TEST_CASE("Rows below the limit are told for each group", "[annotate][report][groups]") {
    CounterScene scene(4);
    scene.sample('a', {1000, 1000, 10, 10}).sample('b', {1001, 1001, 20, 20}).group("", 0, 2).group("", 2, 2);
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    options.tables = ReportTables::groups;
    options.percent_limit = 5;
    const Reported reported(recording, options);
    CHECK(rows_in_text(reported) == std::vector<std::string>{"a", "ab"});
    CHECK(reported.text().find("1 row below --percent-limit 5 left out") != std::string::npos);
}

TEST_CASE("Ratios of events are told with the samples that they rest on", "[annotate][report][ratio]") {
    CounterScene scene(3);
    scene.sample('a', {100, 250, 0}).sample('a', {200, 250, 0}).sample('b', {200, 300, 0});
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    options.ratios = {{"instructions/cycles", 1, 0}, {"cycles/cache-references", 0, 2}};
    const Reported reported(recording, options);
    REQUIRE(reported.report.ratios.size() == 2);
    CHECK(reported.report.ratios[0].of(reported.row(CounterScene::name('a')).self) == EventRatio::Value{1.25, 1});
    const auto text = reported.text();
    CHECK(text.find("# Ratio instructions/cycles: 1.500 (2)\n") != std::string::npos);
    CHECK(text.find("# Ratio cycles/cache-references: -\n") != std::string::npos);
    // As wide as their titles.
    CHECK(text.find("  instructions/cycles  cycles/cache-references  ") != std::string::npos);
    CHECK(text.find("            1.250 (1)                        -  [k]") != std::string::npos);
    CHECK(text.find("inf") == std::string::npos);
    const auto json = Json::parsed(reported.json());
    REQUIRE(json);
    const auto& names = (*json)["ratios"];
    REQUIRE(names.size() == 2);
    CHECK(names[0]["name"].text() == "instructions/cycles");
    CHECK(names[0]["value"].real() == 1.5);
    CHECK(names[1]["denominator"].is_null());
    CHECK(names[1]["value"].is_null());
    const auto& row = (*json)["rows"][0]["ratios"];
    CHECK(row[0]["value"].real() == 1.25);
    CHECK(row[0]["samples"].number() == 1);
    CHECK(row[1]["value"].is_null());
}

TEST_CASE("Damaged groups and counters are losses of a report", "[annotate][report][groups][hostile]") {
    CounterScene scene(2);
    scene.sample('a', {100, 5}).sample('a', {50, 5}).group("", 1, 7);
    const auto recording = scene.open();
    const Reported reported(recording, by_symbol(false, ReportTree::none));
    CHECK(reported.report.completeness.diagnostics.count() == 2);
}
