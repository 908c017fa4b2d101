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
// Waiting records lie in runs that are in order by themselves; the next one is the least of the runs' first ones.
class OrderedStream {
  public:
    // The recording must outlive the stream. The first pass happens here.
    explicit OrderedStream(const Recording& recording);

    // next(record, time) is false at the end. The view lives until the next call.
    bool next(RecordView& record, Time& time);

    // problems() is what could not be framed, as RecordStream tells it.
    const DiagnosticLog& problems() const { return first_pass_.problems(); }
    const RecordStream& first_pass() const { return first_pass_; }
    // most_waiting() is the largest number of records that had to wait at one time.
    std::size_t most_waiting() const { return most_waiting_; }

  private:
    static constexpr std::size_t chunk_records = 4096;

    struct Waiting {
        Time time;
        std::uint64_t sequence;
        RecordView record;
    };
    // A chunk's copied bytes live until all its records have been handed out.
    struct Chunk {
        std::vector<std::byte> bytes;
        std::size_t waiting = 0;
    };
    // A run is a stretch of waiting_ records of one chunk, in order.
    struct Run {
        std::vector<Waiting> records;
        std::size_t next = 0;
        std::uint64_t chunk = 0;

        const Waiting& first() const { return records[next]; }
    };

    Time key(const RecordView& record, Time& latest) const;
    void note_times();
    bool next_synthesized(RecordView& record);
    bool read_chunk();
    void retire();

    const Recording* recording_;
    RecordStream first_pass_;
    std::vector<Time> least_later_;  // by chunk: the least time behind it
    std::uint64_t synthesized_ = 0;  // records with time 0 that have not been handed out
    RecordStream zero_pass_;
    RecordStream pass_;
    Time latest_, zero_latest_;
    std::uint64_t sequence_ = 0;
    std::size_t chunks_read_ = 0;
    std::deque<Chunk> chunks_;  // those with waiting records; the first is number first_chunk_
    std::uint64_t first_chunk_ = 0;
    std::vector<Run> runs_;  // a heap: the run with the least first record on top
    std::optional<std::uint64_t> handed_out_of_;
    std::size_t waiting_ = 0, most_waiting_ = 0;
};

}  // namespace perfdata
