// SPDX-License-Identifier: MIT
#include "group_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "tool/options/option_values.hpp"

namespace perfdata::tool {

void GroupChoice::add_to(CLI::App& command) {
    auto* group = command.add_flag("--group", together,
                                   "Events of a group side by side, other events by themselves; all side by side if "
                                   "they were recorded without groups");
    command.add_flag("--no-group", single, "Each event by itself")->excludes(group);
    add_whole(command, "--group-sort-idx", sort,
              "Rows in the order of this event of its group, from 0 on (default 0: the leader)",
              {0, 65535, "a number from 0 to 65535 (default 0)"});
}

void GroupChoice::choose(ReportOptions& options) const {
    options.tables = together ? ReportTables::groups : single ? ReportTables::single : ReportTables::usual;
    options.group_sort = sort;
}

std::string GroupChoice::no_effect(const Report& report) const {
    const auto has_it = [&](const ReportTable& table) { return table.sort == sort; };
    if (sort == 0 || std::ranges::any_of(report.tables, has_it)) return {};
    return fmt::format("--group-sort-idx: no {} an event {}, counted from 0: rows are in the order of the first event",
                       single ? "table has" : "group of events that are side by side has", sort);
}

}  // namespace perfdata::tool
