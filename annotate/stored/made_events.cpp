// SPDX-License-Identifier: MIT
#include "made_events.hpp"

#include <algorithm>

#include "perfdata/recording/event_groups.hpp"

#include "recording/stored/shared_facts.hpp"

namespace perfdata {

std::vector<stored::Ref<stored::Event>> add_events(Making& making, const std::vector<std::uint32_t>& columns,
                                                   const std::vector<EventTimes>& times) {
    const auto& events = making.recording.events().events();
    const auto groups = EventGroups::read(making.recording);
    const auto& losses = making.symbolizer.timeline().completeness().losses;
    std::vector<bool> counted(events.size());
    for (const auto index : columns) counted[index] = true;
    std::vector<stored::Ref<stored::Event>> rows;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const auto index = columns[column];
        const auto& event = events[index];
        stored::Event row;
        row.position = index;
        row.name = making.text(event.name);
        row.perf_name = making.text(event.perf_name);
        row.attr = stored::encode_attr(event.attr);
        // Without its leader a group is none.
        if (const auto group = groups.of(index); group && counted[groups.groups()[*group].leader]) {
            row.group_leader = making.text(events[groups.groups()[*group].leader].name);
            row.group_name = making.text(groups.groups()[*group].name);
        }
        row.first_time = times[column].first.value_or(Time{}).nanoseconds;
        row.last_time = times[column].last.value_or(Time{}).nanoseconds;
        row.from_zero = times[column].first == Time{};
        if (const auto lost = losses.find(index); lost != losses.end()) {
            row.has_losses = true;
            row.counted = lost->second.samples;
            row.lost = lost->second.lost;
            row.filtered = lost->second.by_filter;
        }
        rows.push_back(append_row(making.model.events, std::move(row)));
    }
    return rows;
}

}  // namespace perfdata
