// SPDX-License-Identifier: MIT
// report --json --sparse has the numbers of the whole document, but for those that are 0.
#include <map>

#include "catch.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/annotate/reported.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Numbers by index in events; of a document with all of them those that are 0 are left out.
using ByColumn = std::map<std::uint64_t, std::uint64_t>;

ByColumn by_column(const Json& object, std::string_view name, bool sparse) {
    const auto numbers = object[name].numbers();
    ByColumn result;
    CHECK(object.has("columns") == sparse);
    if (sparse) REQUIRE(object["columns"].size() == numbers.size());
    for (std::size_t at = 0; at < numbers.size(); ++at) {
        const auto column = sparse ? object["columns"][at].number() : at;
        if (numbers[at] != 0) CHECK(result.emplace(column, numbers[at]).second);
    }
    return result;
}

// Compares a node of a tree, or the objects `ends`, and what is below.
void compare_node(const Json& whole, const Json& sparse) {
    for (const auto* const name : {"hits", "periods"}) {
        CHECK(by_column(whole, name, false) == by_column(sparse, name, true));
    }
    if (whole.has("ends")) compare_node(whole["ends"], sparse["ends"]);
    if (!whole.has("callees")) return;
    REQUIRE(whole["callees"].size() == sparse["callees"].size());
    for (std::size_t at = 0; at < whole["callees"].size(); ++at) {
        compare_node(whole["callees"][at], sparse["callees"][at]);
    }
}

std::string sparse_json(const Reported& reported) {
    std::string out;
    write_report_json(reported.report, [&](std::string_view part) { out += part; }, {.sparse = true});
    return out;
}

}  // namespace

TEST_CASE("A sparse report has the numbers that are not 0", "[annotate][report]") {
    Chains chains(3);
    chains.sample("ab").sample("ac", 1, 5).sample("abd", 2).sample("e", 2, 7).sample("a");
    const auto recording = chains.open();
    const Reported reported(recording, by_symbol(true, ReportTree::caller));
    const auto whole = Json::parsed(reported.json());
    const auto sparse = Json::parsed(sparse_json(reported));
    REQUIRE(whole);
    REQUIRE(sparse);
    CHECK_FALSE(whole->has("sparse"));
    CHECK((*sparse)["sparse"].truth());
    const auto& rows = (*whole)["rows"];
    REQUIRE(rows.size() == 5);
    REQUIRE((*sparse)["rows"].size() == 5);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const auto& row = (*sparse)["rows"][at];
        CHECK(row["symbol"].text() == rows[at]["symbol"].text());
        compare_node(rows[at], row);
        for (const auto* const name : {"with_callers", "periods_with_callers"}) {
            CHECK(by_column(rows[at], name, false) == by_column(row, name, true));
        }
        for (const auto* const name : {"percent", "percent_with_callers"}) {
            REQUIRE(row[name].size() == row["columns"].size());
            for (std::size_t number = 0; number < row["columns"].size(); ++number) {
                CHECK(row[name][number].real() == rows[at][name][row["columns"][number].number()].real());
            }
        }
        if (row["symbol"].text() == Chains::name('e')) CHECK(row["columns"].numbers() == std::vector<std::uint64_t>{2});
    }
}
