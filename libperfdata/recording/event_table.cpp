// SPDX-License-Identifier: MIT
#include "perfdata/recording/event_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "look_out.hpp"

namespace perfdata {

EventTable::EventTable(std::vector<Event> events) {
    LookOut nobody;
    *this = EventTable(std::move(events), nobody);
}

EventTable::EventTable(std::vector<Event> events, LookOut& look) : events_(std::move(events)) {
    std::size_t ids = 0;
    const auto remember = [](std::vector<std::uint8_t>& places, std::size_t place) {
        const auto byte = static_cast<std::uint8_t>(place);
        if (byte != 0 && std::ranges::find(places, byte) == places.end()) places.push_back(byte);
    };
    // An event has them if any event of its group asks for them.
    const bool has_counters = std::ranges::any_of(
        events_, [](const Event& event) { return (event.attr.branch_sample_type & branch_bit::counters) != 0; });
    for (auto& event : events_) {
        event.sample = SampleLayout::compile(event.attr);
        if (!has_counters) event.sample.forbid_branch_counters();
        event.trailer = TrailerLayout::compile(event.attr);
        remember(sample_id_offsets_, event.sample.offsets().id);
        remember(trailer_id_offsets_, event.trailer.id_from_end());
        ids += event.ids.size();
        layouts_.push_back(event.sample);
    }
    const auto time_offset = [](const SampleLayout& layout) { return layout.offsets().time; };
    if (!layouts_.empty() &&
        std::ranges::adjacent_find(layouts_, std::ranges::not_equal_to{}, time_offset) == layouts_.end()) {
        common_sample_time_ = time_offset(layouts_.front());
    }
    without_ids_ = ids == 0 || sample_id_offsets_.empty();
    if (ids == 0) return;
    slots_.resize(std::bit_ceil(ids * 2));
    for (std::uint32_t index = 0; index < events_.size(); ++index) {
        for (const auto id : events_[index].ids) {
            look();
            auto at = hash(id.value);
            while (slots_[at & (slots_.size() - 1)].event && slots_[at & (slots_.size() - 1)].id != id.value) ++at;
            auto& slot = slots_[at & (slots_.size() - 1)];
            if (!slot.event) slot = {id.value, index};
        }
    }
}

EventIndex EventTable::of_other(const RecordView& record) const {
    if (events_.empty()) return {};
    if (events_.size() == 1 || !events_[0].attr.sample_id_all()) return 0;
    bool synthesized = false;
    for (const auto distance : trailer_id_offsets_) {
        if (distance + RecordHeader::bytes > record.bytes.size()) continue;
        const auto id = record.order.load<std::uint64_t>(record.bytes.data() + record.bytes.size() - distance);
        synthesized = synthesized || id == 0;
        const auto event = find(id);
        if (event && events_[*event].trailer.id_from_end() == distance) return event;
    }
    if (synthesized || without_ids_ || trailer_id_offsets_.empty()) return 0;
    return {};
}

Time EventTable::time_of_sample(const RecordView& record, Time otherwise) const {
    const auto event = of_sample(record.bytes.data(), record.bytes.size(), record.order);
    if (!event) return otherwise;
    const auto offset = layouts_[*event].offsets().time;
    if (offset == 0 || record.bytes.size() < offset + sizeof(std::uint64_t)) return otherwise;
    return Time{record.order.load<std::uint64_t>(record.bytes.data() + offset)};
}

Time EventTable::time_of_other(const RecordView& record, Time otherwise) const {
    if (record.type() >= RecordType::header_attr) return otherwise;
    const auto event = of_other(record);
    if (!event) return otherwise;
    const auto& layout = events_[*event].trailer;
    const auto size = record.bytes.size();
    if (layout.time_from_end() == 0 || size < RecordHeader::bytes + layout.size()) return otherwise;
    return Time{record.order.load<std::uint64_t>(record.bytes.data() + size - layout.time_from_end())};
}

}  // namespace perfdata
