// SPDX-License-Identifier: MIT
#include "event_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace perfdata::tool {

Result<std::vector<std::uint32_t>> chosen_events(const Recording& recording, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> chosen;
    const auto& events = recording.events().events();
    for (const auto& wanted : names) {
        const auto found = std::ranges::find_if(events, [&](const Event& event) {
            return event.name == wanted || event.name.substr(0, event.name.find_first_of(":/")) == wanted;
        });
        if (found == events.end()) {
            std::vector<std::string_view> known;
            for (const auto& event : events) known.push_back(event.name);
            return fail(ErrorCode::missing, Error::no_offset, "--event",
                        fmt::format("no event {} in this recording; it has {}", wanted, fmt::join(known, ", ")));
        }
        chosen.push_back(static_cast<std::uint32_t>(found - events.begin()));
    }
    std::ranges::sort(chosen);
    const auto repeated = std::ranges::unique(chosen);
    chosen.erase(repeated.begin(), repeated.end());
    return chosen;
}

bool has_chains(const Recording& recording) {
    return std::ranges::any_of(recording.events().events(),
                               [](const Event& event) { return event.sample.shape().has(SamplePart::callchain); });
}

}  // namespace perfdata::tool
