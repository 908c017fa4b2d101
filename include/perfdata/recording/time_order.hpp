// SPDX-License-Identifier: MIT
// What a first pass over a recording notes, so that a second one can return the records in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// TimeOrder belongs to one recording: OrderedStream has the drawing. It holds 8 bytes for 4,096 records and at most
// 4 MiB of synthesized records. It is const after its pass and may be read from many threads.
class PERFDATA_EXPORT TimeOrder {
  public:
    // A chunk is up to chunk_records consecutive records in one block of the stream.
    static constexpr std::size_t chunk_records = 4096;

    // read(recording) walks all records once. If `stop` ends the pass, the result is stopped() and worth nothing.
    static TimeOrder read(const Recording& recording, const StopToken& stop = {});

    bool stopped() const { return stopped_; }
    // least_later() returns by chunk the least time of all later chunks.
    std::span<const Time> least_later() const { return least_later_; }
    // synthesized() returns how many records have time 0; kept() the first of them.
    std::uint64_t synthesized() const { return synthesized_; }
    std::size_t kept() const { return kept_.size(); }
    RecordView kept(std::size_t number, AnyOrder order) const {
        const auto& kept = kept_[number];
        return {Bytes(kept_bytes_).subspan(kept.begin, kept.size), order, kept.offset, kept.unpacked};
    }

    // problems() returns what RecordStream could not frame in the pass, payload_bytes() its count of data outside of
    // records.
    const DiagnosticLog& problems() const { return problems_; }
    std::uint64_t payload_bytes() const { return payload_bytes_; }

  private:
    friend class TimeOrderBuilder;
    static constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;

    struct Kept {
        std::size_t begin, size;  // in kept_bytes_
        std::uint64_t offset;
        bool unpacked;
    };

    TimeOrder() = default;
    template <class Order>
    static TimeOrder read(const Recording& recording, const StopToken& stop, Order order);

    std::vector<Time> least_later_;
    std::vector<std::byte> kept_bytes_;
    std::vector<Kept> kept_;
    std::uint64_t synthesized_ = 0, payload_bytes_ = 0;
    DiagnosticLog problems_;
    bool stopped_ = false;
};

// TimeOrderBuilder notes times in a pass in order of the file that somebody makes anyway.
class PERFDATA_EXPORT TimeOrderBuilder {
  public:
    explicit TimeOrderBuilder(const EventTable& events) : events_(&events) {}

    // take(record, stream, order) notes the record that `stream` returned last. Copies of stacks may be left out.
    template <class Order>
    void take(const RecordView& record, RecordStream& stream, Order order);
    // finish(stream) is called at the end of the pass.
    TimeOrder finish(const RecordStream& stream) &&;

  private:
    void end_chunk() { order_.least_later_.push_back(std::exchange(least_, Time::forever())); }
    void keep_synthesized(const RecordView& record, RecordStream& stream);

    const EventTable* events_;
    TimeOrder order_;
    Time latest_, least_ = Time::forever();  // least_: of the chunk
    std::size_t in_chunk_ = 0;
    std::uint64_t refills_ = 0;
};

template <class Order>
inline void TimeOrderBuilder::take(const RecordView& record, RecordStream& stream, Order order) {
    const auto time = events_->time_of(record, order, latest_);
    latest_ = greatest(latest_, time);
    if (in_chunk_ == TimeOrder::chunk_records || (in_chunk_ != 0 && stream.refills() != refills_)) {
        end_chunk();
        in_chunk_ = 0;
    }
    refills_ = stream.refills();
    ++in_chunk_;
    if (time == Time{}) [[unlikely]] {
        keep_synthesized(record, stream);
    } else {
        least_ = least(least_, time);
    }
}

}  // namespace perfdata
