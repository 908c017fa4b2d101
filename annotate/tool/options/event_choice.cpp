// SPDX-License-Identifier: MIT
#include "event_choice.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "perfdata/recording/event_names.hpp"

#include "near_names.hpp"
#include "profile_needs.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {
namespace {

// no_such_event(...) lists the recording's events, similar names first.
Error no_such_event(const Recording& recording, const std::string& wanted) {
    std::vector<std::string> known;
    for (const auto& event : recording.events().events()) known.push_back(event.name);
    auto shown = near_names(wanted, known);
    constexpr std::size_t most = 100;  // more would not fit into a message
    for (const auto& name : known) {
        if (shown.size() < most && std::ranges::find(shown, name) == shown.end()) shown.push_back(name);
    }
    const auto text = fmt::format("no event {} in this recording", wanted);
    if (shown.empty()) return {ErrorCode::missing, Error::no_offset, "--event", text + "; it has none"};
    const auto around = std::string_view("perfdata: --event: ; it has ").size() + text.size();
    const auto width = message_width();
    // Allow a few lines, so that the user sees the choice.
    constexpr std::size_t lines = 4;
    return {ErrorCode::missing, Error::no_offset, "--event",
            text + "; it has " + name_list(shown, std::max(lines * width, around + width) - around)};
}

}  // namespace

Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> chosen;
    for (const auto& wanted : names) {
        const auto found = events_called(recording.events().events(), wanted);
        if (found.empty()) return fail(no_such_event(recording, wanted));
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    std::ranges::sort(chosen);
    const auto repeated = std::ranges::unique(chosen);
    chosen.erase(repeated.begin(), repeated.end());
    return chosen;
}

bool has_chains(const Recording& recording) {
    if (!keeps(recording, stored::Dimension::chains)) return false;
    return std::ranges::any_of(recording.events().events(), [](const Event& event) {
        const auto& shape = event.sample.shape();
        return shape.has(SamplePart::callchain) || shape.callers_in_stack();
    });
}

bool events_have(const Recording& recording, const std::vector<std::uint32_t>& chosen, std::uint64_t bit) {
    const auto& events = recording.events().events();
    const auto has = [&](const Event& event) { return event.attr.has(bit); };
    if (chosen.empty()) return std::ranges::any_of(events, has);
    return std::ranges::any_of(chosen, [&](std::uint32_t index) { return has(events[index]); });
}

bool has_unread_stacks(const Recording& recording, const std::vector<std::uint32_t>& chosen) {
    const auto& events = recording.events().events();
    const auto in_stack = [](const Event& event) { return event.sample.shape().callers_in_stack(); };
    if (chosen.empty()) return std::ranges::any_of(events, in_stack);
    return std::ranges::any_of(chosen, [&](std::uint32_t index) { return in_stack(events[index]); });
}

}  // namespace perfdata::tool
