// SPDX-License-Identifier: MIT
#include "trace_key.hpp"

#include "perfdata/recording/event_names.hpp"

namespace perfdata {

std::optional<TraceKey> TraceKey::parse(std::string_view word) {
    TraceKey key;
    // As perf spells fields of which it shows the value itself.
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
        // A path in front of which a word is missing: no event's name has a slash.
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

bool TraceKey::is_of(const Event& given) const {
    if (event.empty() || is_called(given, event)) return true;
    const std::string_view name = given.name;
    const auto colon = name.find(':');
    return colon != std::string_view::npos && name.substr(colon + 1) == event;
}

}  // namespace perfdata
