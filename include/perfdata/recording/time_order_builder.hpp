// SPDX-License-Identifier: MIT
// Notes the order of time of a recording's records in a pass that somebody makes anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "perfdata/core/export.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/time_order.hpp"

namespace perfdata {

// TimeOrderBuilder notes times in a pass in order of the file that somebody makes anyway.
class PERFDATA_EXPORT TimeOrderBuilder {
  public:
    // `events` are the recording's, and must outlive it.
    explicit TimeOrderBuilder(const EventTable& events) : events_(&events) {}

    // take(record, stream, order) notes the record that `stream` returned last. Copies of stacks may be left out.
    template <class Order>
    void take(const RecordView& record, RecordStream& stream, Order order);
    // add(part, begin) adds what was noted of the records that follow, from that place on. Each of them has a time of
    // its own, or one with such a time before it in the part.
    void add(TimeOrderBuilder&& part, const RecordMark& begin);
    // synthesized() returns how many records of time 0 there were.
    std::uint64_t synthesized() const { return order_.synthesized_; }
    // finish(stream) is called at the end of the pass.
    TimeOrder finish(const RecordStream& stream) &&;

  private:
    void end_chunk() { order_.later_.push_back({records_, std::exchange(least_, Time::forever())}); }
    void note_mark(const RecordMark& mark);
    void keep_synthesized(const RecordView& record, RecordStream& stream);

    const EventTable* events_;
    TimeOrder order_;
    Time latest_, least_ = Time::forever();  // least_: of the chunk
    std::size_t in_chunk_ = 0;
    std::uint64_t records_ = 0, refills_ = 0;
    std::uint64_t next_mark_ = 0, mark_bytes_ = std::uint64_t{256} << 10;  // where the next mark may be; between two
};

template <class Order>
inline void TimeOrderBuilder::take(const RecordView& record, RecordStream& stream, Order order) {
    const auto time = events_->time_of(record, order, latest_);
    latest_ = greatest(latest_, time);
    if (in_chunk_ == TimeOrder::chunk_records || (in_chunk_ != 0 && stream.refills() != refills_)) {
        end_chunk();
        if (const auto mark = stream.mark()) note_mark(*mark);
        in_chunk_ = 0;
    }
    refills_ = stream.refills();
    ++in_chunk_;
    ++records_;
    if (time == Time{}) [[unlikely]] {
        keep_synthesized(record, stream);
    } else {
        least_ = least(least_, time);
    }
}

}  // namespace perfdata
