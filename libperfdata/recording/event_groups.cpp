// SPDX-License-Identifier: MIT
#include "perfdata/recording/event_groups.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/wire/feature/group_desc.hpp"

#include "stored/problems.hpp"

namespace perfdata {
namespace {

constexpr std::string_view group_feature = "feature GROUP_DESC";

}  // namespace

EventGroups EventGroups::read(const Recording& recording) {
    EventGroups result;
    if (const auto* model = recording.stored()) {
        result.restore(*model);
        return result;
    }
    const auto* section = recording.feature(Feature::group_desc);
    if (section == nullptr || !section->inside_file) return result;
    const auto content = recording.read_feature(Feature::group_desc);
    if (!content) {
        result.diagnostics_.push_back(content.error());
        return result;
    }
    const auto offset = section->section.offset;
    const auto events = recording.events().events().size();
    EventGroupReader reader({*content, recording.order(), {.where = group_feature, .offset = offset}});
    // Sound groups share no event: more than there are events cannot be sound.
    for (std::size_t taken = 0; taken < events; ++taken) {
        auto group = reader.next();
        if (!group) result.diagnostics_.push_back(group.error());
        if (!group || !*group) break;
        const auto& found = **group;
        result.add({found.name == EventGroup::anonymous ? std::string() : std::string(found.name), found.leader, 0},
                   found.members, events);
    }
    if (reader.count() > events) {
        result.diagnostics_.push_back({ErrorCode::malformed, offset, std::string(group_feature),
                                       std::to_string(reader.count()) + " groups of " + std::to_string(events) +
                                           " events: only the first ones are read"});
    }
    if (result.unsound_ != 0) {
        result.diagnostics_.push_back({ErrorCode::malformed, offset, std::string(group_feature),
                                       std::to_string(result.unsound_) +
                                           (result.unsound_ == 1 ? " group has" : " groups have") +
                                           " events that another group has or that do not exist: left out"});
    }
    return result;
}

// perf writes them by leader.
void EventGroups::add(Group group, std::uint32_t members, std::size_t events) {
    if (members < 2) return;
    const auto begin = groups_.empty() ? 0 : groups_.back().leader + groups_.back().size;
    if (group.leader < begin || group.leader >= events || members > events - group.leader) {
        ++unsound_;
        return;
    }
    group.size = members;
    groups_.push_back(std::move(group));
}

// Events of one group follow each other in a sound recording. Where events of others are between them, as in what was
// merged, they are in no group.
void EventGroups::restore(const stored::Model& model) {
    const auto& events = model.events;
    for (std::size_t begin = 0; begin < events.size();) {
        auto end = begin + 1;
        const auto leader = events[begin].group_leader;
        while (end < events.size() && events[end].group_leader == leader) ++end;
        if (leader && leader == events[begin].name && end - begin >= 2) {
            groups_.push_back({std::string(model.text(events[begin].group_name)), static_cast<std::uint32_t>(begin),
                               static_cast<std::uint32_t>(end - begin)});
        }
        begin = end;
    }
    diagnostics_ = stored::errors(model, model.facts.group_problems);
}

std::optional<std::size_t> EventGroups::of(std::uint32_t event) const {
    const auto behind = std::ranges::upper_bound(groups_, event, {}, &Group::leader);
    if (behind == groups_.begin() || !behind[-1].contains(event)) return {};
    return static_cast<std::size_t>(behind - groups_.begin()) - 1;
}

}  // namespace perfdata
