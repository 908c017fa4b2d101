// SPDX-License-Identifier: MIT
// A pipe stream has no header: events and features come as records in front of the others.
#include <algorithm>

#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/event_update.hpp"
#include "perfdata/wire/record/header_attr.hpp"

namespace perfdata {
namespace {

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
    std::vector<Event> events;
    std::vector<std::pair<EventId, std::string>> names;
    std::size_t ids = 0;
    bool has_records = false;
    for (const RecordView& record : records()) {
        has_records = true;
        if (begins_the_recording(record.type())) break;
        if (record.type() == RecordType::header_attr) {
            const auto header = HeaderAttr::decode(record, 0);
            if (!header) {
                diagnostics_.add(header.error());
                continue;
            }
            if (events.size() == limits_.events || header->ids.size() > limits_.ids - ids) {
                diagnostics_.add(
                    {ErrorCode::limit, record.offset, std::string(HeaderAttr::record_name), "too many events or ids"});
                break;
            }
            ids += header->ids.size();
            Event event;
            event.attr = header->attr;
            for (const auto id : header->ids) event.ids.push_back({id});
            events.push_back(std::move(event));
        } else if (record.type() == RecordType::header_feature) {
            Cursor in = record.body(0, "record HEADER_FEATURE");
            const auto number = in.u64();
            if (!in.ok() || number > 255 || in.remaining() == 0) continue;  // empty: the mark of the last feature
            features_.push_back({static_cast<unsigned>(number), {in.file_offset(), in.remaining()}, true});
        } else if (record.type() == RecordType::event_update) {
            const auto update = EventUpdate::decode(record, 0);
            const bool renames = update && update->kind == static_cast<std::uint64_t>(EventUpdate::Kind::name);
            if (renames) names.emplace_back(update->id, update->name);
        }
    }
    auto described = read_event_descriptions();
    if (events.empty() && !described.empty()) events = std::move(described);
    if (events.empty()) {
        Error error{ErrorCode::malformed, FileHeader::pipe_bytes, "pipe stream",
                    "no event (HEADER_ATTR record) in front of the samples"};
        if (!has_records) return std::unexpected(std::move(error));
        // Its records can still be framed, and those of perf itself decoded.
        diagnostics_.add(std::move(error));
    }
    for (std::size_t index = 0; index < events.size(); ++index) {
        auto& event = events[index];
        for (const auto& [id, name] : names) {
            if (event.name.empty() && std::ranges::find(event.ids, id) != event.ids.end()) event.name = name;
        }
        if (event.name.empty() && index < described.size()) event.name = std::move(described[index].name);
        if (event.name.empty()) event.name = default_event_name(event.attr);
    }
    events_ = EventTable(std::move(events));
    return {};
}

}  // namespace perfdata
