// SPDX-License-Identifier: MIT
#include "report_columns.hpp"

#include <utility>

#include "perfdata/recording/event_groups.hpp"

namespace perfdata {

// Events without samples (such as perf's "dummy") get no columns.
std::vector<std::size_t> choose_columns(const Recording& recording, const SampleCounts& counts,
                                        const ReportOptions& options, Report& report) {
    std::vector<std::size_t> columns;
    const auto& counted = counts.considered();
    const auto groups = EventGroups::read(recording);
    // As in perf: a group is shown whole if any of its events has samples.
    std::vector<bool> wanted(groups.groups().size());
    for (std::size_t column = 0; column < counted.size(); ++column) {
        const auto group = groups.of(counts.events()[column]);
        if (group && counted[column].hits != 0 && options.tables == ReportTables::groups) wanted[*group] = true;
    }
    for (std::size_t column = 0; column < counted.size(); ++column) {
        const auto group = groups.of(counts.events()[column]);
        if (counted[column].hits != 0 || (group && wanted[*group])) columns.push_back(column);
    }
    if (columns.empty() && !counted.empty()) columns.push_back(0);
    for (const auto column : columns) report.events.push_back(counts.events()[column]);
    const std::vector<std::size_t> events(report.events.begin(), report.events.end());
    for (const auto& ratio : options.ratios) report.ratios.push_back(ratio.moved(events));
    std::size_t last = ReportTable::no_group;
    for (std::size_t column = 0; column < events.size(); ++column) {
        const auto group = groups.of(report.events[column]);
        if (group && *group != last) report.groups.push_back({groups.groups()[*group].name, {}});
        if (group) report.groups.back().columns.push_back(column);
        last = group.value_or(ReportTable::no_group);
    }
    return columns;
}

void choose_tables(const ReportOptions& options, std::size_t columns, Report& report) {
    constexpr std::size_t few = 3;  // of more events, each has its own table, as in perf
    const auto how = options.tables;
    const bool together = how == ReportTables::groups ? report.groups.empty() : columns <= few;
    auto& tables = report.tables;
    if (how != ReportTables::single && together) {
        auto& table = tables.emplace_back();
        for (std::size_t column = 0; column < columns; ++column) table.columns.push_back(column);
        const bool one_group = report.groups.size() == 1 && report.groups[0].columns.size() == columns;
        if (one_group && columns > 1) table.group = 0;
    } else {
        std::vector<std::size_t> group_of(columns, ReportTable::no_group);
        for (std::size_t group = 0; group < report.groups.size() && how != ReportTables::single; ++group) {
            for (const auto column : report.groups[group].columns) group_of[column] = group;
        }
        // The events of a group follow each other.
        for (std::size_t column = 0; column < columns; ++column) {
            const bool goes_on =
                group_of[column] != ReportTable::no_group && !tables.empty() && tables.back().group == group_of[column];
            if (!goes_on) tables.emplace_back().group = group_of[column];
            tables.back().columns.push_back(column);
        }
    }
    for (std::size_t at = 0; at < tables.size(); ++at) {
        auto& table = tables[at];
        if (options.group_sort < table.columns.size()) table.sort = options.group_sort;
        if (table.columns.size() <= ReportTable::most_columns) continue;
        ReportTable rest{{}, 0, table.group, 0};
        const auto cut = table.columns.begin() + ReportTable::most_columns;
        rest.columns.assign(cut, table.columns.end());
        table.columns.erase(cut, table.columns.end());
        if (table.sort >= table.columns.size()) table.sort = 0;
        tables.insert(tables.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(rest));
    }
    if (tables.empty()) tables.emplace_back();
}

}  // namespace perfdata
