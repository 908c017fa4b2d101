// SPDX-License-Identifier: MIT
// The events of a recording, and the lookup of the event that a record belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/hash_key.hpp"
#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/sample/layout.hpp"
#include "perfdata/wire/trailer.hpp"

namespace perfdata {

class LookOut;

// Event is one counted event, with the layouts of its records.
struct Event {
    std::string name;          // unique in the recording: see name_events()
    std::string perf_name;     // as given to perf record, else derived from the attr; not unique
    Attr attr;                 // as recorded
    std::vector<EventId> ids;  // one per CPU or thread; may be empty
    SampleLayout sample;       // where the fields of its samples lie
    TrailerLayout trailer;     // where those behind its other records lie
};

// EventIndex is an index in EventTable::events(), or nothing. Like an optional, but half as large: decoding a sample
// begins with it.
class EventIndex {
  public:
    constexpr EventIndex() = default;
    constexpr EventIndex(std::uint32_t index) : index_(index) {}  // not of all ones

    constexpr explicit operator bool() const { return index_ != none; }  // there is one
    // *index is valid if it is not empty.
    constexpr std::uint32_t operator*() const { return index_; }
    constexpr bool operator==(const EventIndex&) const = default;

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint32_t index_ = none;
};

// EventTable finds the event of a record by the id in it. Follows evlist__event2evsel in tools/perf/util/evlist.c, but
// does not require all events to keep their id at the same place: an id counts if it is where its own event puts it.
class PERFDATA_EXPORT EventTable {
  public:
    EventTable() = default;
    explicit EventTable(std::vector<Event> events);  // all of a recording, in its order
    // The same, which may throw Stopped, the library's own.
    EventTable(std::vector<Event> events, LookOut& look);

    const std::vector<Event>& events() const { return events_; }  // in the order of the recording
    bool empty() const { return events_.empty(); }                // there are no events

    // layout(event) returns events()[event].sample, from a compact copy. Valid if event < events().size().
    const SampleLayout& layout(std::uint32_t event) const { return layouts_[event]; }

    // of_sample(record) returns the index of the event of a SAMPLE record; nothing if its id is unknown. The record is
    // `bytes` long, at least 8 bytes.
    template <class Order>
    EventIndex of_sample(const std::byte* record, std::size_t bytes, Order order) const {
        if (layouts_.size() == 1) return 0;
        for (const auto offset : sample_id_offsets_) {
            if (offset + sizeof(std::uint64_t) > bytes) continue;
            const auto event = find(order.template load<std::uint64_t>(record + offset));
            if (event && layouts_[*event].offsets().id == offset) return event;
        }
        return without_ids_ && !layouts_.empty() ? EventIndex(0) : EventIndex();
    }

    // RecentIds is the last ids that of_sample() found at the first place where samples have one. Each id has one slot:
    // ids of one recording are mostly consecutive, and those chosen to collide cost what they cost without it. With one
    // id only, decoding two events that take turns takes a fifth longer.
    class RecentIds {
      public:
        // Recent is an id and its event.
        struct Recent {
            std::uint64_t id = 0;  // of `event`
            EventIndex event;      // none: nothing was found yet
        };
        // of(id) returns the only slot that may have that id.
        Recent& of(std::uint64_t id) { return slots_[id % slots_.size()]; }

      private:
        std::array<Recent, 16> slots_;
    };
    // The same for samples in turn.
    template <class Order>
    EventIndex of_sample(const std::byte* record, std::size_t bytes, Order order, RecentIds& recents) const {
        if (sample_id_offsets_.empty() || layouts_.size() == 1) return of_sample(record, bytes, order);
        const std::size_t first = sample_id_offsets_.front();
        if (first + sizeof(std::uint64_t) > bytes) return of_sample(record, bytes, order);
        const auto id = order.template load<std::uint64_t>(record + first);
        auto& recent = recents.of(id);
        if (recent.event && recent.id == id) return recent.event;
        const auto event = of_sample(record, bytes, order);
        if (event && layouts_[*event].offsets().id == first) recent = {id, event};
        return event;
    }

    // of_other(record) returns the event whose trailer a kernel record other than SAMPLE carries. Synthesized records
    // (id 0) take the first event's.
    EventIndex of_other(const RecordView& record) const;

    // time_of(record) returns the time of a kernel record: zero if it was synthesized, `otherwise` if its event keeps
    // no time or is unknown, or the record is too short. Records of perf itself have no time. If all events keep the
    // time of samples at one place, it is read there without looking up the event.
    template <class Order>
    Time time_of(const RecordView& record, Order order, Time otherwise) const {
        const auto* bytes = record.bytes.data();
        const auto header = RecordHeader::load(bytes, order);
        if (header.type != static_cast<std::uint32_t>(RecordType::sample)) return time_of_other(record, otherwise);
        if (common_sample_time_ == 0) return time_of_sample(record, otherwise);
        if (header.size < common_sample_time_ + sizeof(std::uint64_t)) return otherwise;
        return Time{order.template load<std::uint64_t>(bytes + common_sample_time_)};
    }

    // find(id) returns the event with this id; nothing if there is none. Takes two or three probes.
    EventIndex find(std::uint64_t id) const {
        if (slots_.empty()) return {};
        for (auto at = hash(id);; ++at) {
            const auto& slot = slots_[at & (slots_.size() - 1)];
            if (!slot.event || slot.id == id) return slot.event;
        }
    }

  private:
    struct Slot {
        std::uint64_t id = 0;
        EventIndex event;  // none: a free slot
    };

    Time time_of_sample(const RecordView& record, Time otherwise) const;
    Time time_of_other(const RecordView& record, Time otherwise) const;

    std::size_t hash(std::uint64_t id) const { return static_cast<std::size_t>((*hash_key_)(id) >> 32); }

    std::vector<Event> events_;
    std::vector<SampleLayout> layouts_;
    // Open addressing, a power of two, at most half full: a lookup probes two or three slots, whoever chose the ids.
    std::vector<Slot> slots_;
    const HashKey* hash_key_ = &HashKey::process();
    std::vector<std::uint8_t> sample_id_offsets_;
    std::vector<std::uint8_t> trailer_id_offsets_;
    bool without_ids_ = true;
    std::uint8_t common_sample_time_ = 0;  // offset; 0 if events differ in it
};

// default_event_name(attr) returns perf's name of an event, without modifiers: "cycles", "L1-dcache-load-misses", "raw
// 0x1a8", "mem:0x404038:w"; "type 7 config 0x1" if only the recorded machine's kernel knows it.
PERFDATA_EXPORT std::string default_event_name(const Attr& attr);

}  // namespace perfdata
