// SPDX-License-Identifier: MIT
// The trailer (sample_id) of kernel records other than SAMPLE. Follows __perf_event__output_id_sample in
// kernel/events/core.c.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// Trailer is the values of one trailer; fields that the event does not record are empty.
struct Trailer {
    std::optional<Pid> pid;     // process; all ones: it has already ended
    std::optional<Tid> tid;     // thread; all ones: it has already ended
    std::optional<Time> time;   // in the event clock; 0 in synthesized records
    std::optional<EventId> id;  // from IDENTIFIER if it is recorded, else from ID; 0 in synthesized records
    std::optional<std::uint64_t> stream_id;  // the id of the counter itself: differs from `id` for an inherited one
    std::optional<std::uint32_t> cpu;        // on which the record was written; 0 in synthesized records
};

// TrailerLayout has the distance of each field from the end of the record: strings of unknown length precede the
// trailer, so it can only be found from the end. Order in the file:
//
//     TID (pid, tid) . TIME . ID . STREAM_ID . CPU (cpu, 0) . IDENTIFIER | end of record
class TrailerLayout {
  public:
    // An event without sample_id_all has no trailer: size 0.
    static TrailerLayout compile(const Attr& attr) {
        TrailerLayout layout;
        if (!attr.sample_id_all()) return layout;
        const auto place = [&](std::uint64_t bit) -> std::uint8_t {
            if (!attr.has(bit)) return 0;
            layout.size_ = static_cast<std::uint8_t>(layout.size_ + 8);
            return layout.size_;
        };
        const auto identifier = place(sample_bit::identifier);
        layout.cpu_ = place(sample_bit::cpu);
        layout.stream_id_ = place(sample_bit::stream_id);
        const auto id = place(sample_bit::id);
        layout.id_ = identifier != 0 ? identifier : id;
        layout.time_ = place(sample_bit::time);
        layout.tid_ = place(sample_bit::tid);
        return layout;
    }

    // size() is 8 times the number of fields, at most 48.
    std::size_t size() const { return size_; }

    // read(record) is valid if the record is at least 8 + size() bytes long.
    Trailer read(const RecordView& record) const {
        Trailer trailer;
        const auto* end = record.bytes.data() + record.bytes.size();
        const auto& order = record.order;
        if (tid_ != 0) {
            trailer.pid = Pid{order.load<std::uint32_t>(end - tid_)};
            trailer.tid = Tid{order.load<std::uint32_t>(end - tid_ + 4)};
        }
        if (time_ != 0) trailer.time = Time{order.load<std::uint64_t>(end - time_)};
        if (id_ != 0) trailer.id = EventId{order.load<std::uint64_t>(end - id_)};
        if (stream_id_ != 0) trailer.stream_id = order.load<std::uint64_t>(end - stream_id_);
        if (cpu_ != 0) trailer.cpu = order.load<std::uint32_t>(end - cpu_);
        return trailer;
    }

    // id_from_end(), time_from_end() return the distances of the event id and of the time from the end of the record; 0
    // if there is none.
    std::size_t id_from_end() const { return id_; }
    std::size_t time_from_end() const { return time_; }

  private:
    std::uint8_t size_ = 0, tid_ = 0, time_ = 0, id_ = 0, stream_id_ = 0, cpu_ = 0;
};

}  // namespace perfdata
