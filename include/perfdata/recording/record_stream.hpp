// SPDX-License-Identifier: MIT
// All records of a recording in file order, framed but not decoded, in constant memory.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/record_mark.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// RecordSegment is a part of a file that holds records: the data section, a pipe stream after its header, or one of
// the files of a directory recording. Each has its own compressed stream.
struct RecordSegment {
    Shared<const Source> source;  // the file; not null
    std::uint64_t begin = 0;      // offset of the first record
    std::uint64_t end = 0;        // offset behind the last byte; may cut a record off
};

// RecordStreamOptions is how records are framed and unpacked, and the limits. Recording::records() sets them.
struct RecordStreamOptions {
    AnyOrder order;     // of the recording
    bool pipe = false;  // TRACING_DATA records are followed by their data
    // Limit on the bytes that one compressed record may unpack to, from the feature COMPRESSED (mmap_len).
    std::uint64_t unpacked_record_bytes = std::uint64_t{16} << 20;
    std::uint64_t unpacked_bytes = Limits{}.unpacked_bytes;  // of all of them together
    // Limit on the window of a compressed stream in bytes, rounded down to a power of two; at least 1 KiB.
    std::uint64_t window_bytes = Limits{}.zstd_window_bytes;
    // The events of the records, for readers that need no copies of stacks: the bytes of large ones are not read, and
    // undefined in the views. They are read where damage makes it necessary. Must outlive the stream; null: all is
    // read.
    const EventTable* without_stacks = nullptr;
};

// RecordStream reads through one block of 256 KiB (measured: read(2) into such a block is twice as fast as a fresh
// mapping). Copies of stacks may be left out. Input in memory is not copied. Records inside COMPRESSED records follow
// that record; they may straddle its end.
//
// Where no record can be framed, it searches for the next place where several consecutive records begin and continues
// there; what it skipped is in problems() and unread_bytes(). A record is returned only after the header behind it has
// been checked. If that is invalid, the record may have lost bytes or have a wrong size: if several consecutive
// records begin inside it, they win and its beginning is skipped.
class PERFDATA_EXPORT RecordStream {
  public:
    // The segments are read one after the other.
    RecordStream(std::vector<RecordSegment> segments, const RecordStreamOptions& options);

    RecordStream(RecordStream&&) noexcept;
    RecordStream& operator=(RecordStream&&) noexcept;
    ~RecordStream();

    // next(record) returns false at the end. The view lives until the next call.
    bool next(RecordView& record) { return next(record, options_.order); }
    // The same for callers that know the order at compile time. It must be the recording's order.
    template <class Order>
    bool next(RecordView& record, Order order) {
        const auto left = static_cast<std::size_t>(block_.end - block_.at);
        if (left >= plain_ + RecordHeader::bytes) [[likely]] {
            const auto behind = RecordHeader::load(block_.at + plain_, order);
            if (is_plain(behind)) [[likely]] {
                hand_out(record, plain_);
                plain_ = behind.size;
                return true;
            }
        }
        return find_next(record);
    }

    // Iteration: for (const RecordView& record : stream).
    class Iterator {
      public:
        using value_type = RecordView;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        // Reads the first record, which begin() does.
        explicit Iterator(RecordStream& stream) : stream_(&stream) { ++*this; }
        const RecordView& operator*() const { return record_; }  // lives until the next ++
        // Reads the next record.
        Iterator& operator++() {
            if (!stream_->next(record_)) stream_ = nullptr;
            return *this;
        }
        void operator++(int) { ++*this; }  // the same; the old value is gone
        bool operator==(std::default_sentinel_t) const { return stream_ == nullptr; }

      private:
        RecordStream* stream_ = nullptr;
        RecordView record_;
    };
    Iterator begin() { return Iterator(*this); }         // once for each stream: it continues where next() is
    static std::default_sentinel_t end() { return {}; }  // compares equal when there is no further record

    // Reads what options.without_stacks left unread in the block of the last returned record.
    void read_left_out();

    // Blocks are the memory that holds the records: one of the file, one of unpacked data. A caller that keeps them
    // keeps the views into them valid: the stream then continues in new blocks.
    struct Blocks {
        std::shared_ptr<const std::byte[]> file;      // null: input in memory
        std::shared_ptr<const std::byte[]> unpacked;  // null: nothing was unpacked
    };
    // Returns those of the last returned record.
    Blocks blocks() const;
    // refills() counts how often a block was refilled so far: records between which it changes are in different
    // blocks. It depends only on the recording, not on who keeps blocks.
    std::uint64_t refills() const { return refills_; }

    // mark() returns the place behind the last returned record, if another stream over the same recording can go on
    // there: it then returns the same records. Nothing in a recording of several files, behind compressed records and
    // damage, and before data that follow their record.
    std::optional<RecordMark> mark() const;
    // start_at(mark) skips all records before that place. Call it before the first next().
    void start_at(const RecordMark& mark);
    // start_behind(offset) skips to the first sample from there on with usual records behind it: inside of a record,
    // perhaps. If there is none in the next 256 KiB, the stream has no records. The offset must be that of the first
    // record and a multiple of 8 more. Call it before the first next().
    void start_behind(std::uint64_t offset);

    // problems() returns what could not be framed or unpacked so far.
    const DiagnosticLog& problems() const { return problems_; }
    // payload_bytes() returns the size of the data so far that follow their record, outside the record's size: AUX
    // data and, in a pipe, tracing data.
    std::uint64_t payload_bytes() const { return payload_bytes_; }
    // payload() returns where the data that follow the last returned record lie, outside its size; nothing if there
    // are none.
    struct Payload {
        const Source& source;         // as RecordSegment::source of its file
        std::uint64_t offset = 0;     // in `source`
        std::uint64_t size = 0;       // as far as the file has it
        std::uint64_t announced = 0;  // as the record states
    };
    // Valid before the next call of next().
    std::optional<Payload> payload() const;
    // unread_bytes() returns how many bytes of the files could not be framed.
    std::uint64_t unread_bytes() const { return unread_bytes_; }
    // unpacked_bytes() returns how many bytes came out of compressed records.
    std::uint64_t unpacked_bytes() const { return unpacked_bytes_; }

  private:
    class Unpacker;

    // A stretch of bytes being read: of the file, or of an unpacked compressed record.
    struct Block {
        const std::byte* begin = nullptr;
        const std::byte* end = nullptr;
        const std::byte* at = nullptr;
        std::uint64_t offset = 0;  // file offset of `begin`
    };
    enum class Waiting : std::uint8_t { nothing, payload, packed };
    enum class Frame : std::uint8_t { whole, partial, damaged };

    static constexpr std::size_t block_bytes = std::size_t{256} << 10;
    static constexpr auto not_seen = ~std::size_t{0} / 2;  // more than any block has
    static constexpr auto last_kernel_type = static_cast<std::uint32_t>(RecordType::callchain_deferred);

    // The kernel's types, well-formed and no longer than those of limited length; everything else takes the slow path.
    static constexpr std::uint16_t longest_plain = 4232;
    static bool is_plain(const RecordHeader& header) {
        // One comparison for both limits and the multiple of 8.
        const auto words_of_body = std::rotr(static_cast<std::uint16_t>(header.size - RecordHeader::bytes), 3);
        return header.type - 1 < last_kernel_type && words_of_body <= (longest_plain - RecordHeader::bytes) / 8;
    }

    std::uint64_t offset() const { return block_.offset + static_cast<std::uint64_t>(block_.at - block_.begin); }
    std::size_t left() const { return static_cast<std::size_t>(block_.end - block_.at); }

    void hand_out(RecordView& record, std::size_t size) {
        record.bytes = Bytes(block_.at, size);
        record.order = options_.order;
        record.offset = unpacking_ ? packed_offset_ : offset();
        record.unpacked = unpacking_;
        block_.at += size;
    }
    bool find_next(RecordView& record);
    Frame frame_at(const std::byte* at) const;
    bool is_contested(const RecordHeader& header);
    std::size_t record_inside(std::size_t size);
    std::size_t records_to_end(const RecordHeader& header);
    void pass_over(std::size_t count);
    void look_ahead();
    bool search();
    void note_special(const RecordView& record);
    void attend_to_what_waits();
    void skip_payload();
    void begin_unpacking();
    bool end_of_block();
    bool next_segment();
    void pass_zeros();
    void pass_hole(const RecordSegment& segment);
    bool extend();
    bool extend_file();
    bool extend_unpacked();
    void report(ErrorCode code, std::uint64_t offset, std::string detail);

    std::vector<RecordSegment> segments_;
    RecordStreamOptions options_;
    std::size_t segment_ = 0;
    Block block_;       // the block being read
    Block file_block_;  // the file's block while unpacking_
    std::shared_ptr<std::byte[]> file_bytes_;
    bool left_out_ = false;  // bytes of file_bytes_ were left unread
    std::uint64_t refills_ = 0;
    std::unique_ptr<Unpacker> unpacker_;
    bool unpacking_ = false;
    bool gap_behind_ = false;  // the data being unpacked break off
    bool searching_ = false;   // for the next record behind damage
    bool in_payload_ = false;  // searching in data that claim to extend beyond the end
    bool aligned_ = true;      // all records of the segment so far began at multiples of 8
    bool at_end_ = false;      // the block cannot be extended further
    std::uint64_t damage_begin_ = 0;
    std::uint16_t longest_ = longest_plain;  // of the records of kernel types returned so far; at least longest_plain
    std::size_t plain_ = not_seen;           // size of the front record if its header was checked and is plain
    Waiting waiting_ = Waiting::nothing;
    Bytes packed_;  // payload of the pending compressed record
    std::uint64_t packed_offset_ = 0;
    std::uint64_t payload_ = 0;  // bytes still to be skipped
    std::uint64_t payload_bytes_ = 0;
    std::uint64_t unread_bytes_ = 0;
    std::uint64_t unpacked_bytes_ = 0;
    DiagnosticLog problems_;
};

}  // namespace perfdata
