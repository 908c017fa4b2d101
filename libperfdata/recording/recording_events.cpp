// SPDX-License-Identifier: MIT
// Events: the attr section, and EVENT_DESC for their names.
#include <algorithm>
#include <map>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/event_names.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/wire/feature/event_desc.hpp"
#include "perfdata/wire/feature/tracing_data.hpp"

#include "look_out.hpp"

namespace perfdata {

// read_ids(section, before) reads a section of an event, after `before` ids of earlier events. Overlapping sections
// could make many ids of a small file.
Result<std::vector<EventId>> Recording::read_ids(FileSection section, std::size_t before, LookOut& look) const {
    const auto in_all = before + section.size / 8;
    if (in_all > limits_.ids) {
        return fail(ErrorCode::limit, section.offset, "event ids",
                    "more than " + std::to_string(limits_.ids) + " ids in all");
    }
    if (in_all > source_->size() / 8 && section.size <= source_->size()) {
        return fail(ErrorCode::malformed, section.offset, "event ids",
                    "more than the file has room for: several events claim the same ids");
    }
    const auto content = catch_bad_alloc([&] { return read_part(section, "event ids", &look); });
    if (!content) return fail(content.error());
    std::vector<EventId> ids;
    ids.reserve(content->size() / 8);
    for (std::size_t at = 0; at + 8 <= content->size(); at += 8) {
        look();
        ids.push_back({order().load<std::uint64_t>(content->data() + at)});
    }
    return ids;
}

// Each entry of the attr section is a perf_event_attr followed by the place of the event's ids. The stride is the
// header's attr_size; the ids end the entry, unless attr.size and the stride disagree and only the other place makes
// sense (files rewritten by an old perf inject).
Result<std::vector<Event>> Recording::read_attrs(LookOut& look) {
    const auto stride = header_.attr_size;
    constexpr std::uint64_t pair = sizeof(FileSection);
    if (stride < Attr::min_bytes + pair || stride > 65536) {
        return fail(ErrorCode::malformed, 16, "file header",
                    "attr size " + std::to_string(stride) + "; between 80 and 65536 expected");
    }
    const auto count = header_.attrs.size / stride;
    if (header_.attrs.size % stride != 0) {
        diagnostics_.add(
            {ErrorCode::malformed, 32, "attr section",
             std::to_string(header_.attrs.size) + " bytes are no multiple of an entry's " + std::to_string(stride)});
    }
    if (count > limits_.events) {
        return fail(ErrorCode::limit, 32, "attr section",
                    std::to_string(count) + " events; at most " + std::to_string(limits_.events) + " are read");
    }
    const auto content = read_section({header_.attrs.offset, count * stride}, "attr section");
    if (!content) return fail(content.error());

    std::vector<Event> events;
    std::size_t ids_in_all = 0;
    for (std::uint64_t index = 0; index < count; ++index) {
        look();
        const auto entry =
            Bytes(*content).subspan(static_cast<std::size_t>(index * stride), static_cast<std::size_t>(stride));
        const auto claimed = order().load<std::uint32_t>(entry.data() + 4);
        const auto pair_at = [&](std::uint64_t at) {
            return FileSection{order().load<std::uint64_t>(entry.data() + at),
                               order().load<std::uint64_t>(entry.data() + at + 8)};
        };
        const auto sensible = [&](FileSection ids) {
            return ids.size % 8 == 0 && ids.offset <= source_->size() && ids.size <= source_->size() - ids.offset;
        };
        auto ids_place = pair_at(stride - pair);
        if (!sensible(ids_place) && claimed >= Attr::min_bytes && claimed + pair < stride &&
            sensible(pair_at(claimed))) {
            ids_place = pair_at(claimed);
        }
        const auto attr_bytes = claimed >= Attr::min_bytes && claimed <= stride - pair
                                    ? claimed
                                    : (claimed == 0 ? Attr::min_bytes : stride - pair);
        Event event;
        event.attr = Attr::decode(entry.first(static_cast<std::size_t>(attr_bytes)), order());
        auto ids = read_ids(ids_place, ids_in_all, look);
        if (ids_place.size % 8 != 0) {
            diagnostics_.add({ErrorCode::malformed, header_.attrs.offset + (index + 1) * stride - pair, "attr section",
                              "event " + std::to_string(index) + " has " + std::to_string(ids_place.size) +
                                  " bytes of ids; a multiple of 8 expected"});
        }
        if (ids) {
            ids_in_all += ids->size();
            id_sections_.push_back(ids_place);
            event.ids = std::move(*ids);
        } else {
            diagnostics_.add(std::move(ids.error()));
        }
        events.push_back(std::move(event));
    }
    return events;
}

std::vector<Event> Recording::read_event_descriptions(LookOut& look) {
    std::vector<Event> events;
    const auto* section = feature(Feature::event_desc);
    if (section == nullptr || !section->inside_file) return events;
    const auto content = read_feature(Feature::event_desc);
    if (!content) {
        diagnostics_.add(content.error());
        return events;
    }
    EventDescReader reader({*content, order(), {.where = "feature EVENT_DESC", .offset = section->section.offset}});
    for (;;) {
        look();
        const auto described = reader.next();
        if (!described) {
            diagnostics_.add(described.error());
            break;
        }
        if (!*described) break;
        if (events.size() == limits_.events) {
            diagnostics_.add({ErrorCode::limit, section->section.offset, "feature EVENT_DESC", "too many events"});
            break;
        }
        Event event;
        event.name = (*described)->name;
        event.attr = (*described)->attr;
        for (std::size_t index = 0; index < (*described)->ids.size(); ++index) {
            look();
            event.ids.push_back({(*described)->ids[index]});
        }
        events.push_back(std::move(event));
    }
    return events;
}

// Tracepoints without a name get that of their format.
void Recording::name_tracepoints(std::vector<Event>& events, LookOut& look) const {
    const auto nameless = [](const Event& event) {
        return event.name.empty() && event.attr.type == attr_type::tracepoint;
    };
    const auto* section = feature(Feature::tracing_data);
    if (section == nullptr || !section->inside_file || std::ranges::none_of(events, nameless)) return;
    const auto content = read_feature(Feature::tracing_data);
    if (!content) return;
    auto data = TracingData::decode({*content, order(), {.where = "feature TRACING_DATA"}});
    if (!data) return;
    // There may be many formats and events.
    std::map<std::uint64_t, std::vector<Event*>> by_id;
    for (auto& event : events) {
        if (nameless(event)) by_id[event.attr.config].push_back(&event);
    }
    for (;;) {
        look();
        const auto format = data->next();
        if (!format || !*format) return;
        const auto id = (*format)->id();
        const auto wanted = id ? by_id.find(*id) : by_id.end();
        if (wanted == by_id.end() || (*format)->name().empty()) continue;
        for (auto* event : wanted->second) {
            event->name = std::string((*format)->system) + ":" + std::string((*format)->name());
        }
        by_id.erase(wanted);
    }
}

void Recording::read_events(LookOut& look) {
    auto described = read_event_descriptions(look);
    auto events = read_attrs(look);
    if (events && !events->empty()) {
        for (std::size_t index = 0; index < events->size() && index < described.size(); ++index) {
            auto& event = (*events)[index];
            event.name = std::move(described[index].name);
            if (event.ids.empty()) event.ids = std::move(described[index].ids);
        }
    } else if (!described.empty()) {
        // EVENT_DESC repeats attrs and ids: a recording with a damaged attr section is still readable.
        diagnostics_.add(events ? Error{ErrorCode::malformed, 24, "attr section", "no events in it"} : events.error());
        events = std::move(described);
    } else if (!events) {
        // Its records can still be framed, and those of perf itself decoded.
        diagnostics_.add(events.error());
        events = std::vector<Event>();
    }
    // A recording without events is possible: perf sched stats record writes one.
    name_tracepoints(*events, look);
    events_ = EventTable(name_events(std::move(*events)), look);
}

}  // namespace perfdata
