// SPDX-License-Identifier: MIT
// The events of a recording, and which of them a record belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/sample.hpp"
#include "perfdata/wire/trailer.hpp"

namespace perfdata {

// Event is one thing that was counted, with the layouts of its records.
struct Event {
    std::string name;  // as given to perf record, else made from the attr
    Attr attr;
    std::vector<EventId> ids;  // one per CPU or thread; may be empty
    SampleLayout sample;
    TrailerLayout trailer;
};

// EventTable finds the event of a record by the id in it. Follows evlist__event2evsel in tools/perf/util/evlist.c, but
// does not ask that all events keep their id at the same place: an id counts if it is found where its own event puts
// it.
class EventTable {
  public:
    EventTable() = default;
    explicit EventTable(std::vector<Event> events);

    const std::vector<Event>& events() const { return events_; }
    bool empty() const { return events_.empty(); }

    // of_sample(record) is the index of the event of a SAMPLE record, nothing if its id is not known. The record is
    // `bytes` long and at least 8 bytes.
    template <class Order>
    std::optional<std::uint32_t> of_sample(const std::byte* record, std::size_t bytes, Order order) const {
        if (events_.size() == 1) return 0;
        for (const auto offset : sample_id_offsets_) {
            if (offset + sizeof(std::uint64_t) > bytes) continue;
            const auto event = find(order.template load<std::uint64_t>(record + offset));
            if (event && events_[*event].sample.offsets().id == offset) return event;
        }
        return without_ids_ && !events_.empty() ? std::optional<std::uint32_t>(0) : std::nullopt;
    }

    // of_other(record) is the event whose trailer a kernel record other than SAMPLE carries. Synthesized records
    // (id 0) take the first event's.
    std::optional<std::uint32_t> of_other(const RecordView& record) const;

    // time_of(record) is when a record of the kernel happened: zero if it was synthesized, nothing if its event keeps
    // no time, is not known, or the record is too short. Records of perf itself have no time.
    template <class Order>
    std::optional<Time> time_of(const RecordView& record, Order order) const {
        const auto* bytes = record.bytes.data();
        const auto header = RecordHeader::load(bytes, order);
        if (header.type >= static_cast<std::uint32_t>(RecordType::header_attr)) return {};
        if (header.type == static_cast<std::uint32_t>(RecordType::sample)) {
            const auto event = of_sample(bytes, header.size, order);
            if (!event) return {};
            const auto& layout = events_[*event].sample;
            if (layout.offsets().time == 0 || header.size < layout.variable_offset()) return {};
            return Time{order.template load<std::uint64_t>(bytes + layout.offsets().time)};
        }
        const auto event = of_other(record);
        if (!event) return {};
        const auto& layout = events_[*event].trailer;
        if (layout.time_from_end() == 0 || header.size < RecordHeader::bytes + layout.size()) return {};
        return Time{order.template load<std::uint64_t>(bytes + header.size - layout.time_from_end())};
    }

    std::optional<std::uint32_t> find(std::uint64_t id) const {
        if (slots_.empty()) return {};
        for (auto at = hash(id);; ++at) {
            const auto& slot = slots_[at & (slots_.size() - 1)];
            if (slot.event == free_slot) return {};
            if (slot.id == id) return slot.event;
        }
    }

  private:
    struct Slot {
        std::uint64_t id = 0;
        std::uint32_t event = free_slot;
    };
    static constexpr std::uint32_t free_slot = ~std::uint32_t{0};

    static std::size_t hash(std::uint64_t id) { return static_cast<std::size_t>((id * 0x9e3779b97f4a7c15u) >> 32); }

    std::vector<Event> events_;
    std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
    std::vector<std::uint8_t> sample_id_offsets_;
    std::vector<std::uint8_t> trailer_id_offsets_;
    bool without_ids_ = true;
};

// default_event_name(attr) is perf's name of a hardware or software event, "raw 0x..." and the like for others.
std::string default_event_name(const Attr& attr);

}  // namespace perfdata
