// SPDX-License-Identifier: MIT
// A pipe stream has no header: events and features come as records in front of the others.
#include <algorithm>

#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/feature/event_desc.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t update_name = 2;  // EVENT_UPDATE: 8 u64 type . 16 u64 id . 24 a string, for this type

bool begins_the_recording(RecordType type) {
    switch (type) {
        case RecordType::sample:
        case RecordType::compressed:
        case RecordType::compressed2:
        case RecordType::finished_round:
        case RecordType::finished_init: return true;
        default: return false;
    }
}

}  // namespace

Result<void> Recording::read_pipe_events() {
    constexpr std::string_view where = "record HEADER_ATTR";
    std::vector<Event> events;
    std::vector<std::pair<std::uint64_t, std::string>> names;  // by event id
    std::size_t ids = 0;
    for (const RecordView& record : records()) {
        if (begins_the_recording(record.type())) break;
        Cursor in = record.body(0, where);
        if (record.type() == RecordType::header_attr) {
            if (events.size() == limits_.events) {
                diagnostics_.add({ErrorCode::limit, record.offset, std::string(where), "too many events"});
                break;
            }
            // The ids begin behind the attr, whose own size field says how long it is.
            in.skip(4);
            const auto claimed = in.u32();
            const auto attr_bytes = claimed == 0 ? Attr::min_bytes : claimed;
            in = record.body(0, where);
            const auto attr = in.bytes(attr_bytes);
            if (!in.ok() || attr_bytes < Attr::min_bytes) {
                diagnostics_.add({ErrorCode::malformed, record.offset, std::string(where),
                                  "attr of " + std::to_string(claimed) + " bytes in a record of " +
                                      std::to_string(record.bytes.size())});
                continue;
            }
            Event event;
            event.attr = Attr::decode(attr, order());
            while (in.remaining() >= 8 && ids++ < limits_.ids) event.ids.push_back({in.u64()});
            events.push_back(std::move(event));
        } else if (record.type() == RecordType::header_feature) {
            const auto number = in.u64();
            if (!in.ok() || number > 255 || in.remaining() == 0) continue;  // empty: the mark of the last feature
            features_.push_back({static_cast<unsigned>(number), {in.file_offset(), in.remaining()}, true});
        } else if (record.type() == RecordType::event_update) {
            const auto type = in.u64();
            const auto id = in.u64();
            if (in.ok() && type == update_name) names.emplace_back(id, until_nul(in.rest()));
        }
    }
    auto described = read_event_descriptions();
    if (events.empty() && !described.empty()) events = std::move(described);
    if (events.empty()) {
        return fail(ErrorCode::malformed, FileHeader::pipe_bytes, "pipe stream",
                    "no event (HEADER_ATTR record) in front of the samples");
    }
    for (std::size_t index = 0; index < events.size(); ++index) {
        auto& event = events[index];
        for (const auto& [id, name] : names) {
            if (event.name.empty() && std::ranges::find(event.ids, EventId{id}) != event.ids.end()) event.name = name;
        }
        if (event.name.empty() && index < described.size()) event.name = std::move(described[index].name);
        if (event.name.empty()) event.name = default_event_name(event.attr);
    }
    events_ = EventTable(std::move(events));
    return {};
}

}  // namespace perfdata
