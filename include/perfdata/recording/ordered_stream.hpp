// SPDX-License-Identifier: MIT
// All records of a recording in exact time order, in memory bounded by their disorder.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/time_order.hpp"

namespace perfdata {

// OrderedStream returns records ordered by (time, place in the file). Synthesized records (time 0) come first. A
// record without a time (perf's own, or of an event that keeps none) gets the latest time before it in the file: it
// stays among its neighbours.
//
// Rings are drained one after the other, so a file is a sequence of ordered stretches, and stretches of different CPUs
// overlap in time. FINISHED_ROUND marks promise how far they overlap, but not exactly. So a first pass notes the least
// time of each chunk of records; then every record up to the least time of all later chunks is safe to return:
//
//     chunk          1         2         3
//     times       1 5 3     4 6 9     7 8 9
//     least later     4         7         -
//
// Each chunk is cut into ordered runs; a few late records are merged into the run before them. The run with the least
// next record leads (current_), the others wait in a heap; of equal times the earlier run comes first:
//
//     read       run 1    run 2    run 3    safe up to    return
//     chunk 1    1 3 5                      4             1 3
//     chunk 2        5    4 6 9             7             4 5 6
//     chunk 3                 9    7 8 9    -             7 8 9 9
//
// Nothing is copied: a chunk keeps alive the block of the stream that holds its records until the last of them has
// been returned.
class PERFDATA_EXPORT OrderedStream {
  public:
    // The recording must outlive the stream. The first pass happens here. If `stop` ends it, the stream is stopped()
    // and has no records.
    explicit OrderedStream(const Recording& recording, const StopToken& stop = {});
    // The first pass happened before: see Timeline::times(). With the times of another recording the order is wrong.
    OrderedStream(const Recording& recording, Shared<const TimeOrder> times);
    bool stopped() const { return times_->stopped(); }

    // next(record, time) returns false at the end. The view lives until the next call.
    bool next(RecordView& record, Time& time) {
        if (current_.next == current_.end || current_.next->time > limit_) [[unlikely]] {
            return find_next(record, time);
        }
        hand_out(record, time);
        return true;
    }

    // problems() returns what RecordStream could not frame.
    const DiagnosticLog& problems() const { return times_->problems(); }
    // payload_bytes() returns what RecordStream::payload_bytes() does at the end.
    std::uint64_t payload_bytes() const { return times_->payload_bytes(); }
    // most_waiting() returns the largest number of records that were waiting at one time.
    std::size_t most_waiting() const { return most_waiting_; }

  private:
    OrderedStream(const Recording& recording, TimeOrder&& own);

    struct Waiting {
        Time time;
        const std::byte* record;
        std::uint64_t place;  // RecordView::offset * 2 + RecordView::unpacked
    };
    struct Chunk {
        std::vector<Waiting> records;
        std::size_t runs = 0;  // number of runs not fully returned yet
        RecordStream::Blocks blocks;
    };
    // A run is an ordered stretch of a chunk's records. Runs are numbered in file order.
    struct Run {
        const Waiting* next = nullptr;
        const Waiting* end = nullptr;
        std::uint64_t number = 0;
        Chunk* chunk = nullptr;

        bool before(const Run& other) const {
            return next->time != other.next->time ? next->time < other.next->time : number < other.number;
        }
    };

    void hand_out(RecordView& record, Time& time) {
        const auto& first = *current_.next++;
        const auto size = order_.load<std::uint16_t>(first.record + 6);
        record = {Bytes(first.record, size), order_, first.place >> 1, (first.place & 1) != 0};
        time = first.time;
    }
    bool find_next(RecordView& record, Time& time);
    template <class Order>
    bool read(RecordStream& stream, RecordView& record, Time& latest, Time& time, Order order) const;
    bool next_synthesized(RecordView& record);
    bool read_chunk();
    template <class Order>
    bool read_chunk(Order order);
    static bool merge_tail(Waiting* begin, Waiting* middle, Waiting* end);
    void add_runs(Chunk& chunk);
    void finish_run();
    void sift_down();
    void set_limit();

    const Recording* recording_;
    AnyOrder order_;
    Shared<const TimeOrder> times_;

    // Records of time 0: `times_` has the first few MiB of them, a separate pass finds the others.
    std::uint64_t synthesized_next_ = 0;
    std::optional<RecordStream> zero_pass_;
    Time zero_latest_;

    RecordStream pass_;
    Time latest_;
    RecordView ahead_;  // the first record of the next chunk
    Time ahead_time_;
    bool have_ahead_ = false, at_end_ = false;

    std::deque<Chunk> chunks_;                 // from the first that has runs left
    std::uint64_t records_read_ = 0;           // in all chunks so far
    std::size_t later_passed_ = 0;             // how many of times_->later() they cover
    std::vector<std::vector<Waiting>> spare_;  // memory of finished chunks
    std::vector<Run> runs_;                    // a heap: the run with the least first record is on top
    std::uint64_t run_count_ = 0;
    Run current_;  // the run being returned; it is not in the heap
    Time limit_;   // up to this time current_ comes before all other runs
    Time safe_;    // up to this time no unread record can come
    std::size_t waiting_ = 0, most_waiting_ = 0;
};

}  // namespace perfdata
