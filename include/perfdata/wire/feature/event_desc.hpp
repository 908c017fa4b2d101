// SPDX-License-Identifier: MIT
// EVENT_DESC (12): names of the events, in the order of the attr section. write_event_desc in
// tools/perf/util/header.c.
#pragma once

#include <optional>

#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/feature/strings.hpp"

namespace perfdata {

// EventDescription is one event as the recorder described it.
struct EventDescription {
    Attr attr;                     // the same as in the attr section
    std::string_view name;         // as given to perf record; lives as long as the section
    ArrayView<std::uint64_t> ids;  // one per CPU or thread
};

//     u32 count . u32 attr_size . count x { attr[attr_size] . u32 ids . string name . ids x u64 }, packed
class EventDescReader {
  public:
    explicit EventDescReader(Cursor in) : in_(in), left_(in_.u32()), attr_size_(in_.u32()) {}  // `in` is the section

    // next() returns the next event, empty at the end; an error if data follow the last one. After an error the rest of
    // the section cannot be framed.
    Result<std::optional<EventDescription>> next() {
        if (!in_.ok()) return in_.failure("the event count");
        if (left_ == 0) {
            if (auto end = in_.nothing_left("event"); !end) return fail(std::move(end.error()));
            return std::nullopt;
        }
        if (attr_size_ < Attr::min_bytes) {
            return in_.contradiction("attr size " + std::to_string(attr_size_) + ", at least 64 expected");
        }
        if (!in_.fits(left_, std::size_t{attr_size_} + 8)) return in_.failure("the table of events");
        --left_;
        EventDescription event;
        event.attr = Attr::decode(in_.bytes(attr_size_), in_.order());
        const auto ids = in_.u32();
        event.name = read_feature_string(in_);
        if (!in_.fits(ids, 8)) return in_.failure("an event's name or ids");
        event.ids = ArrayView<std::uint64_t>(in_.bytes(std::uint64_t{ids} * 8), 8, in_.order());
        return event;
    }

  private:
    Cursor in_;
    std::uint32_t left_;
    std::uint32_t attr_size_;
};

}  // namespace perfdata
