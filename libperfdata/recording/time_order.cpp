// SPDX-License-Identifier: MIT
#include "perfdata/recording/time_order.hpp"

#include <algorithm>
#include <ranges>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/time_order_builder.hpp"

namespace perfdata {

void TimeOrderBuilder::keep_synthesized(const RecordView& record, RecordStream& stream) {
    const auto number = order_.synthesized_++;
    auto& bytes = order_.kept_bytes_;
    if (order_.kept_.size() != number || bytes.size() + record.bytes.size() > TimeOrder::most_kept_bytes) return;
    stream.read_left_out();
    order_.kept_.push_back({bytes.size(), record.bytes.size(), record.offset, record.unpacked});
    bytes.insert(bytes.end(), record.bytes.begin(), record.bytes.end());
}

// Once there are too many marks, every other one goes.
void TimeOrderBuilder::note_mark(const RecordMark& mark) {
    if (mark.offset < next_mark_) return;
    auto& marks = order_.marks_;
    if (marks.size() == TimeOrder::most_marks) {
        for (std::size_t at = 0; at < marks.size() / 2; ++at) marks[at] = marks[2 * at];
        marks.resize(marks.size() / 2);
        mark_bytes_ *= 2;
    }
    marks.push_back(mark);
    next_mark_ = mark.offset + mark_bytes_;
}

// Chunks need not be those of a pass of its own: OrderedStream looks at their ends only. A record without a time may be
// later than noted here, if one before the part is: then some records wait longer than they must.
void TimeOrderBuilder::add(TimeOrderBuilder&& part, const RecordMark& begin) {
    end_chunk();
    part.end_chunk();
    for (const auto& [records, least] : part.order_.later_) order_.later_.push_back({records_ + records, least});
    note_mark(begin);
    for (auto mark : part.order_.marks_) {
        mark.longest = greatest(mark.longest, begin.longest);
        note_mark(mark);
    }
    // Only the first part has any: records of time 0 behind it would have to be looked for among all before.
    if (order_.synthesized_ == 0) {
        order_.synthesized_ = part.order_.synthesized_;
        order_.kept_ = std::move(part.order_.kept_);
        order_.kept_bytes_ = std::move(part.order_.kept_bytes_);
    }
    records_ += part.records_;
    latest_ = greatest(latest_, part.latest_);
    in_chunk_ = 0;
}

TimeOrder TimeOrderBuilder::finish(const RecordStream& stream) && {
    end_chunk();
    // Replace the least time of each chunk by the least time of all later chunks.
    auto behind = Time::forever();
    for (auto& chunk : std::ranges::reverse_view(order_.later_)) {
        behind = std::min(behind, std::exchange(chunk.least, behind));
    }
    order_.problems_ = stream.problems();
    order_.payload_bytes_ = stream.payload_bytes();
    if (order_.problems_.count() != 0) order_.marks_ = {};
    return std::move(order_);
}

template <class Order>
TimeOrder TimeOrder::read(const Recording& recording, const StopToken& stop, Order order) {
    constexpr std::int64_t bytes_a_look = 1 << 20, cost_of_record = 200;
    auto stream = recording.records(Recording::Stacks::unread);
    TimeOrderBuilder notes(recording.events());
    RecordView record;
    for (;;) {
        for (auto left = bytes_a_look; left > 0;) {
            if (!stream.next(record, order)) return std::move(notes).finish(stream);
            left -= cost_of_record + static_cast<std::int64_t>(record.bytes.size());
            notes.take(record, stream, order);
        }
        if (stop.stop_requested()) break;
    }
    TimeOrder stopped;
    stopped.stopped_ = true;
    return stopped;
}

TimeOrder TimeOrder::read(const Recording& recording, const StopToken& stop) {
    if (recording.order().endian() == std::endian::little) {
        return read(recording, stop, FixedOrder<std::endian::little>{});
    }
    return read(recording, stop, FixedOrder<std::endian::big>{});
}

}  // namespace perfdata
