// SPDX-License-Identifier: MIT
#include "trace_key.hpp"

#include <fmt/format.h>
#include <set>

#include "perfdata/recording/event_names.hpp"

namespace perfdata {

std::optional<TraceKey> TraceKey::parse(std::string_view word) {
    TraceKey key;
    // perf shows the values of such fields, not what the event prints for them.
    constexpr std::string_view raw = "/raw";
    if (word.ends_with(raw) && word != "trace/raw") {
        word.remove_suffix(raw.size());
        key.raw = true;
    }
    if (word == "trace") return key;
    if (word == "trace_fields") {
        key.kind = Kind::all_fields;
        return key;
    }
    auto name = word;
    if (word.starts_with("trace:")) {
        name.remove_prefix(std::string_view("trace:").size());
    } else {
        const auto point = word.rfind('.');
        if (point == std::string_view::npos || point == 0) return {};
        // No event's name has a slash: this is a path.
        if (word.contains('/')) return {};
        key.event = word.substr(0, point);
        name.remove_prefix(point + 1);
    }
    if (name == "*") {
        key.kind = Kind::all_fields;
        return key;
    }
    const auto field = parse_field_name(name);
    if (!field) return {};
    key.kind = Kind::field;
    key.field = *field;
    return key;
}

std::optional<TraceKey> TraceKey::parse_field(std::string_view word) {
    if (auto name = parse_field_name(word)) return TraceKey{Kind::field, {}, std::move(*name)};
    auto key = parse(word);
    if (key && key->kind != Kind::field) return {};
    return key;
}

bool TraceKey::is_named(const Event& given) const {
    if (event.empty() || is_called(given, event)) return true;
    const std::string_view name = given.name;
    const auto colon = name.find(':');
    return colon != std::string_view::npos && name.substr(colon + 1) == event;
}

Result<std::vector<bool>> TraceKey::events_of(const std::vector<Event>& events, std::string_view option) const {
    std::vector<bool> takes;
    takes.reserve(events.size());
    bool has_any = false;
    for (const auto& given : events) {
        takes.push_back(is_named(given));
        has_any = has_any || takes.back();
    }
    if (has_any || event.contains(':')) return takes;
    std::set<std::string_view> names;  // log n each
    for (std::size_t at = 0; at < events.size(); ++at) {
        const auto& given = events[at];
        if (given.attr.type != attr_type::tracepoint || !given.name.contains(event)) continue;
        takes[at] = true;
        names.insert(given.name);
    }
    if (names.size() < 2) return takes;
    constexpr std::size_t most_named = 4;
    std::string text;
    std::size_t told = 0;
    for (const auto name : names) {
        if (told == most_named) break;
        if (told++ != 0) text += ", ";
        text += name;
    }
    if (names.size() > told) text += fmt::format(" and {} more", names.size() - told);
    return fail(ErrorCode::missing, Error::no_offset, std::string(option),
                fmt::format("{} is a part of the names of several events: {}", event, text));
}

}  // namespace perfdata
