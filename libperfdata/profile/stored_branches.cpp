// SPDX-License-Identifier: MIT
#include "stored_branches.hpp"

#include "recording/stored/model.hpp"
#include "stored_tasks.hpp"
#include "timeline/stored_frames.hpp"

namespace perfdata {

bool count_stored_branches(const Recording& profile, const SampleFilter& samples, CallTable& table,
                           const std::vector<std::uint32_t>& events, const StopToken& stop) {
    const auto& model = *profile.stored();
    constexpr auto none = ~std::uint32_t{0};
    std::vector<std::uint32_t> column(model.events.size(), none);
    for (std::uint32_t at = 0; at < events.size(); ++at) {
        if (events[at] < column.size()) column[events[at]] = at;
    }
    const StoredFrames frames(model);
    const StoredTasks tasks(model);
    std::vector<std::uint32_t> places(model.frames.size(), none);
    const auto place = [&](stored::Ref<stored::Frame> of) {
        auto& number = places[of.number];
        if (number == none) number = table.place(frames.frame(model.at(of)));
        return number;
    };
    constexpr std::size_t branches_a_look = 4096;
    for (std::size_t at = 0; at < model.branches.size(); ++at) {
        if (at % branches_a_look == 0 && stop.stop_requested()) return false;
        const auto& branch = model.branches[at];
        const auto counted = column[branch.event.number];
        if (counted == none) continue;
        if (tasks.drop_moment(samples, branch.task) != FilterPart::none) continue;
        if (tasks.drop_task(samples, branch.task) != FilterPart::none) continue;
        const auto to = place(branch.to);
        const auto callee = table.end_of(to);
        if (table.offset_of(to) != 0 || !table.named(callee)) continue;
        const auto from = place(branch.from);
        if (!table.wanted(table.end_of(from), callee)) continue;
        for (const auto edge :
             {table.edge(from, callee, branch.entry), table.edge_anywhere(from, callee, branch.entry)})
            table.branch(edge, counted, branch.times, !branch.proven);
    }
    return true;
}

}  // namespace perfdata
