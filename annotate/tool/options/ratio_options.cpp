// SPDX-License-Identifier: MIT
#include "ratio_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "perfdata/recording/event_names.hpp"

#include "near_names.hpp"
#include "option_values.hpp"

namespace perfdata::tool {
namespace {

Error wrong_ratio(ErrorCode code, std::string detail) {
    return {code, Error::no_offset, "--ratio", std::move(detail)};
}

Result<std::string> parse_ratio(const std::string& text) {
    const auto slash = text.find('/', 1);
    if (slash != std::string::npos && slash + 1 < text.size()) return text;
    return fail(wrong_ratio(
        ErrorCode::malformed,
        fmt::format("{} is no ratio; give two events, such as instructions/cycles", text.empty() ? "nothing" : text)));
}

// Splits "a/b". Names of events may have slashes: returns the only way to split it into two names that the recording
// has, which each mean one event.
Result<EventRatio> find_ratio(const std::vector<Event>& events, const std::string& text) {
    const std::string_view all = text;
    std::vector<EventRatio> found;
    std::string problem;
    for (auto slash = all.find('/', 1); slash != std::string_view::npos && slash + 1 < all.size();
         slash = all.find('/', slash + 1)) {
        const auto above = events_called(events, all.substr(0, slash));
        const auto below = events_called(events, all.substr(slash + 1));
        if (above.size() == 1 && below.size() == 1) {
            found.push_back({text, above[0], below[0]});
        } else if (!above.empty() && !below.empty()) {
            problem = fmt::format("{} means several events", all.substr(0, slash));
            if (above.size() == 1) problem = fmt::format("{} means several events", all.substr(slash + 1));
        } else if (problem.empty()) {
            problem = fmt::format("no event {} in this recording",
                                  all.substr(above.empty() ? 0 : slash + 1, above.empty() ? slash : all.npos));
        }
    }
    if (found.size() == 1) return found.front();
    if (found.size() > 1) {
        return fail(
            wrong_ratio(ErrorCode::malformed, fmt::format("{} can be split into two events in several ways", text)));
    }
    std::vector<std::string> names;
    constexpr std::size_t most = 100;  // more would not fit into a message
    for (const auto& event : events) {
        if (names.size() < most) names.push_back(event.name);
    }
    const auto room = std::max<std::size_t>(message_width(), 60);
    if (!names.empty()) problem += "; it has " + name_list(names, room);
    return fail(wrong_ratio(ErrorCode::missing, problem));
}

}  // namespace

void RatioChoice::add_to(CLI::App& command) {
    command
        .add_option("--ratio", ratios,
                    "A column of what one event counted, divided by another: instructions/cycles. May be given several "
                    "times")
        ->allow_extra_args(false)
        ->check(checked(parse_ratio), "")
        ->type_name("EVENT/EVENT");
}

Result<std::vector<EventRatio>> RatioChoice::chosen(const Recording& recording,
                                                    const std::vector<std::uint32_t>& counted) const {
    std::vector<EventRatio> result;
    const auto& events = recording.events().events();
    for (const auto& text : ratios) {
        auto ratio = find_ratio(events, text);
        if (!ratio) return fail(ratio.error());
        for (const auto event : {ratio->numerator, ratio->denominator}) {
            if (counted.empty() || std::ranges::find(counted, static_cast<std::uint32_t>(event)) != counted.end())
                continue;
            return fail(wrong_ratio(ErrorCode::missing,
                                    fmt::format("--event leaves out {}, which {} needs", events[event].name, text)));
        }
        result.push_back(std::move(*ratio));
    }
    return result;
}

}  // namespace perfdata::tool
