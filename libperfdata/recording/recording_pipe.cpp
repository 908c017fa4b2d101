// SPDX-License-Identifier: MIT
// A pipe stream has no header: events and features come as records before the others.
#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "perfdata/recording/event_names.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/wire/record/event_update.hpp"
#include "perfdata/wire/record/header_attr.hpp"
#include "perfdata/wire/record/header_tracing_data.hpp"

#include "look_out.hpp"
#include "pulse.hpp"

namespace perfdata {
namespace {

// NamesById holds the names that EVENT_UPDATE records give to event ids. Sorted: n ids and m names cost (n + m) log m.
class NamesById {
  public:
    void add(EventId id, std::string_view name) {
        if (name.empty()) return;
        ids_.emplace_back(id, names_.size());
        names_.emplace_back(name);
    }
    // sort() must be called between add() and find().
    void sort(LookOut& look) { std::ranges::sort(ids_, {}, look.by(std::identity())); }

    // find(ids) returns the first name given to any of them, empty if there is none.
    std::string_view find(const std::vector<EventId>& ids, LookOut& look) const {
        auto first = names_.size();
        for (const auto id : ids) {
            look();
            const auto found = std::ranges::lower_bound(ids_, std::pair(id, std::size_t{0}));
            if (found != ids_.end() && found->first == id) first = std::min(first, found->second);
        }
        return first == names_.size() ? std::string_view{} : std::string_view(names_[first]);
    }

  private:
    std::vector<std::pair<EventId, std::size_t>> ids_;  // with indices in names_
    std::vector<std::string> names_;
};

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

void Recording::add_pipe_feature(const FeatureSection& feature) {
    const auto same = [&](const FeatureSection& other) { return other.number == feature.number; };
    if (std::ranges::none_of(features_, same)) return features_.push_back(feature);
    diagnostics_.add({ErrorCode::malformed, feature.section.offset, "pipe stream",
                      "feature " + std::to_string(feature.number) + " once more; only the first is read"});
}

bool Recording::is_late(const RecordView& record) const {
    if (!header_.pipe || (!record.unpacked && record.offset < pipe_header_end_)) return false;
    constexpr std::size_t feature_number = 8;
    return record.type() != RecordType::header_feature || record.bytes.size() > RecordHeader::bytes + feature_number;
}

Result<void> Recording::read_pipe_events(const Watch& watch, LookOut& look) {
    std::vector<Event> events;
    NamesById names;
    std::size_t ids = 0;
    pipe_header_end_ = data_.offset + data_.size;
    Pulse pulse(watch, data_.size);  // a damaged header may be as long as the recording
    for (const RecordView& record : records()) {
        if (!pulse.go_on(record.bytes.size())) return fail(pulse.stopped("pipe stream"));
        if (begins_the_recording(record.type())) {
            pipe_header_end_ = record.offset;
            break;
        }
        if (record.type() == RecordType::header_attr) {
            const auto header = HeaderAttr::decode(record, 0);
            if (!header) {
                diagnostics_.add(header.error());
                continue;
            }
            if (events.size() == limits_.events || header->ids.size() > limits_.ids - ids) {
                diagnostics_.add(
                    {ErrorCode::limit, record.offset, std::string(HeaderAttr::record_name), "too many events or ids"});
                pipe_header_end_ = record.offset;
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
            if (!in.ok() || number > 255 || in.remaining() == 0) continue;  // empty: marks the last feature
            add_pipe_feature({static_cast<unsigned>(number), {in.file_offset(), in.remaining()}, true});
        } else if (record.type() == RecordType::header_tracing_data) {
            const auto header = HeaderTracingData::decode(record, 0);
            if (!header) {
                diagnostics_.add(header.error());
                continue;
            }
            const FileSection data{record.offset + record.bytes.size(), header->size};
            add_pipe_feature(
                {static_cast<unsigned>(Feature::tracing_data), data, data.size <= source_->size() - data.offset});
        } else if (record.type() == RecordType::event_update) {
            const auto update = EventUpdate::decode(record, 0);
            const bool renames = update && update->kind == static_cast<std::uint64_t>(EventUpdate::Kind::name);
            if (renames) names.add(update->id, update->name);
        }
    }
    std::ranges::sort(features_, {}, &FeatureSection::number);  // as in a file's table
    auto described = read_event_descriptions(look);
    if (events.empty() && !described.empty()) events = std::move(described);
    if (events.empty()) {
        diagnostics_.add({ErrorCode::malformed, FileHeader::pipe_bytes, "pipe stream",
                          "no event (HEADER_ATTR record) in front of the samples"});
    }
    names.sort(look);
    for (std::size_t index = 0; index < events.size(); ++index) {
        auto& event = events[index];
        if (event.name.empty()) event.name = names.find(event.ids, look);
        if (event.name.empty() && index < described.size()) event.name = std::move(described[index].name);
    }
    name_tracepoints(events, look);
    events_ = EventTable(name_events(std::move(events)), look);
    return {};
}

}  // namespace perfdata
