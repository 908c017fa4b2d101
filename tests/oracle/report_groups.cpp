// SPDX-License-Identifier: MIT
// Compares the tables of groups with those of `perf report --group`: the events side by side.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "perfdata/recording/event_groups.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "report_rows.hpp"

namespace oracle {
namespace {

using namespace perfdata;

using GroupTables = std::vector<std::vector<std::string>>;

GroupTables our_group_tables(const std::filesystem::path& path) {
    const Opened opened(path);
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.jit.as_recorded = false;
    const auto names = Symbolizer::open(opened.recording, opened.timeline, sources);
    ReportOptions options;
    options.tables = ReportTables::groups;
    const auto counts = SampleCounts::count(opened.recording, opened.timeline, count_options(options, names));
    REQUIRE(counts);
    const auto report = Report::make(opened.recording, *counts, names, options);
    GroupTables tables;
    for (const auto& table : report.tables) {
        auto& rows = tables.emplace_back();
        for (const auto& row : report.rows) {
            std::string shares, samples, periods;
            bool any = false;
            for (const auto column : table.columns) {
                const auto& cell = row.self[column];
                any = any || cell.hits != 0;
                const auto* between = shares.empty() ? "" : " ";
                shares += between + percent(cell.periods, report.whole[column].periods);
                samples += between + std::to_string(cell.hits);
                periods += between + std::to_string(cell.periods);
            }
            const auto& place = report.places[row.place];
            if (any) {
                rows.push_back(shares + '|' + samples + '|' + periods + '|' + report.tasks[row.task].comm_text() + '|' +
                               std::string(place.object) + "|[" + place.level + "] " + place.text());
            }
        }
        std::ranges::sort(rows);
    }
    return tables;
}

}  // namespace

TEST_CASE("perf report --group has the same tables", "[oracle][report]") {
    std::size_t compared = 0;
    for (const auto& path : perf_fixtures()) {
        if (known_difference(path) != nullptr) continue;
        const auto recording = Recording::open(path.string());
        REQUIRE(recording);
        if (EventGroups::read(*recording).empty()) continue;
        DYNAMIC_SECTION(path.stem().string()) {
            const auto theirs = perf_group_report(path);
            CHECK(our_group_tables(path) == theirs);
            std::cout << path.stem().string() << ": " << theirs.size() << " tables\n";
        }
        ++compared;
    }
    CHECK(compared >= 3);
}

}  // namespace oracle
