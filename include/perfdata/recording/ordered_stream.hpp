// SPDX-License-Identifier: MIT
// All records of a recording in exact order of time, in memory bounded by their disorder.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// OrderedStream hands out records by (time, place in the file). Synthesized records (time 0) come first. A record
// without a time (perf's own, or of an event that keeps none) has the latest time seen before it in the file: it keeps
// its place among its neighbours.
//
// Rings are drained one after the other, so a file is a row of stretches that are in order, and stretches of different
// CPUs overlap in time. FINISHED_ROUND marks promise how far they overlap, but not exactly. So a first pass notes the
// least time of each chunk of records; then every record up to the least time of all later chunks can be handed out:
//
//     chunk          1         2         3
//     times       1 5 3     4 6 9     7 8 9
//     least later     4         7         -
//     hand out    1 3       4 5 6     7 8 9 9
//
// Chunks are cut into runs that are in order by themselves; the next record is the least of the runs' first ones.
// Nothing is copied: a chunk keeps the block of the stream that its records lie in, until the last of them has been
// handed out.
class OrderedStream {
  public:
    // The recording must outlive the stream. The first pass happens here.
    explicit OrderedStream(const Recording& recording);

    // next(record, time) is false at the end. The view lives until the next call.
    bool next(RecordView& record, Time& time) {
        if (current_.next == current_.end || current_.next->time > limit_) [[unlikely]] {
            return find_next(record, time);
        }
        hand_out(record, time);
        return true;
    }

    // problems() is what could not be framed, as RecordStream tells it.
    const DiagnosticLog& problems() const { return first_pass_.problems(); }
    const RecordStream& first_pass() const { return first_pass_; }
    // most_waiting() is the largest number of records that had to wait at one time.
    std::size_t most_waiting() const { return most_waiting_; }

  private:
    static constexpr std::size_t chunk_records = 4096;
    static constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;

    struct Waiting {
        Time time;
        const std::byte* record;
        std::uint64_t place;  // RecordView::offset * 2 + RecordView::unpacked
    };
    // A chunk is up to chunk_records records that follow each other in one block.
    struct Chunk {
        std::vector<Waiting> records;
        std::size_t runs = 0;  // how many of its runs have not been handed out
        RecordStream::Blocks blocks;
    };
    // A run is a stretch of a chunk's records that is in order. Runs are numbered in the order of the file.
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
    template <class Order>
    void note_times(Order order);
    void keep_synthesized(const RecordView& record);
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
    RecordStream first_pass_;
    std::vector<Time> least_later_;  // by chunk: the least time behind it

    // Records of time 0: the first pass keeps the first few MiB of them, a pass of its own looks for the others.
    struct Kept {
        std::size_t begin, size;  // in kept_bytes_
        std::uint64_t offset;
        bool unpacked;
    };
    std::vector<std::byte> kept_bytes_;
    std::vector<Kept> kept_;
    std::uint64_t synthesized_ = 0, synthesized_next_ = 0;  // of all
    std::optional<RecordStream> zero_pass_;
    Time zero_latest_;

    RecordStream pass_;
    Time latest_;
    RecordView ahead_;  // the first record of the next chunk
    Time ahead_time_;
    bool have_ahead_ = false, at_end_ = false;

    std::deque<Chunk> chunks_;  // from the first that has runs left on
    std::size_t chunks_read_ = 0;
    std::vector<std::vector<Waiting>> spare_;  // memory of chunks that are done
    std::vector<Run> runs_;                    // a heap: the run with the least first record on top
    std::uint64_t run_count_ = 0;
    Run current_;  // the run that is being handed out, not in the heap
    Time limit_;   // up to which time current_ comes before all others
    Time safe_;    // up to which time nothing that has not been read yet can come
    std::size_t waiting_ = 0, most_waiting_ = 0;
};

}  // namespace perfdata
