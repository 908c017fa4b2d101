// SPDX-License-Identifier: MIT
// Reads a part of the records before it is known how those before it are framed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/time_order_builder.hpp"
#include "perfdata/recording/walk.hpp"

namespace perfdata {

// PartRead counts the samples of a part, notes their times, and keeps copies of all other records. A part goes from the
// first sample behind one place to the first sample behind another:
//
//     part 0            |            part 1            |            part 2
//     - - S S o S S o S S S S o S S o S o o S S S S S S o o S S S S
//                       ^ from           ^ until        S sample, o other record
//                         |--- read --------->|
//
// Where that is was guessed by looking for a sample's header with records behind it. It is right if the part before
// ends there. Anything unusual makes a part not whole(): damage, records with data attached, samples without times, a
// long stretch without samples. What is read of a part that is whole does not depend on what is before it, except for
// the times of records that have none: these get the latest before them in the part, or before the part.
template <class Order>
class PartRead {
  public:
    // Place is where to look for the begin or the end: both a multiple of 8 from the first record.
    struct Place {
        std::uint64_t from = 0, until = 0;  // offsets; until: behind the last byte of all records for the last part
        bool first = false, last = false;
    };

    PartRead(const Recording& recording, Order order)
        : recording_(recording), order_(order), walk_(recording, seen_, order, nothing_), notes_(recording.events()) {}
    PartRead(const PartRead&) = delete;
    PartRead& operator=(const PartRead&) = delete;

    // read(place, stop) reads the part: once. It is not whole if asked to stop.
    void read(const Place& place, const StopToken& stop) {
        whole_ = read_records(place, stop);
        if (whole_) return;
        others_ = {};
        bytes_ = {};
    }

    bool whole() const { return whole_; }
    std::uint64_t begin() const { return begin_; }  // offset of its first record
    const RecordMark& end() const {
        return end_;
    }  // of the first record behind it; longest: of the records in the part

    // add_to(walk, completeness, notes, begin) adds what was read to a walk that got to its begin. Returns the bytes of
    // its records.
    template <class Visitor>
    std::uint64_t add_to(detail::Walk<Order, Visitor>& walk, Completeness& completeness, TimeOrderBuilder& notes,
                         const RecordMark& begin) {
        std::size_t at = 0;
        for (const auto& [offset, latest] : others_) {
            const auto size = order_.template load<std::uint16_t>(bytes_.data() + at + 6);
            walk.not_before(latest);
            walk.take({Bytes(bytes_).subspan(at, size), recording_.order(), offset, false});
            at += size;
        }
        walk.add(walk_);
        completeness.stacks_not_unwound += seen_.stacks_not_unwound;
        notes.add(std::move(notes_), begin);
        return framed_;
    }

  private:
    // Bytes. A part of usual size that has nothing but switches of tasks has less.
    static constexpr std::size_t most_kept = std::size_t{3} << 20;

    struct Nothing {};
    struct Other {
        std::uint64_t offset;
        Time latest;  // of the samples before it in the part
    };

    RecordType type_of(const RecordView& record) const {
        return static_cast<RecordType>(order_.template load<std::uint32_t>(record.bytes.data()));
    }

    bool read_records(const Place& place, const StopToken& stop) {
        constexpr std::int64_t bytes_a_look = 1 << 18, cost_of_record = 200;
        auto stream = recording_.records(Recording::Stacks::unread);
        if (!place.first) stream.start_behind(place.from);
        RecordView record;
        if (!stream.next(record, order_)) return false;
        begin_ = record.offset;
        // No part goes on for long where no sample is: each could go on to the end of the recording.
        const auto most = place.until + (place.until - place.from);
        bool more = true;
        for (auto left = bytes_a_look; more;) {
            if (record.offset >= place.until && !place.last && type_of(record) == RecordType::sample) break;
            if (record.offset > most && !place.last) return false;
            left -= cost_of_record + static_cast<std::int64_t>(record.bytes.size());
            if (left < 0) {
                if (stop.stop_requested() || walk_.damaged_records() != 0) return false;
                left = bytes_a_look;
            }
            if (!take(record, stream)) return false;
            end_.offset = record.offset + record.bytes.size();
            more = stream.next(record, order_);
        }
        if (stream.problems().count() != 0 || stream.payload_bytes() != 0 || stream.unread_bytes() != 0) return false;
        if (walk_.damaged_records() != 0 || (!place.first && notes_.synthesized() != 0)) return false;
        if (!more) return place.last;
        const auto mark = stream.mark();
        if (!mark || !mark->aligned || record.offset != end_.offset) return false;
        end_.longest = mark->longest;
        return true;
    }

    bool take(const RecordView& record, RecordStream& stream) {
        const auto type = type_of(record);
        if (type == RecordType::sample) [[likely]] {
            walk_.take(record);
        } else {
            if (type == RecordType::compressed || type == RecordType::compressed2 || type == RecordType::auxtrace ||
                type == RecordType::header_tracing_data) {
                return false;
            }
            if (bytes_.size() + others_.size() * sizeof(Other) > most_kept) return false;
            others_.push_back({record.offset, walk_.latest()});
            bytes_.insert(bytes_.end(), record.bytes.begin(), record.bytes.end());
        }
        notes_.take(record, stream, order_);
        framed_ += record.bytes.size();
        return true;
    }

    const Recording& recording_;
    [[no_unique_address]] Order order_;
    Completeness seen_;
    Nothing nothing_;
    detail::Walk<Order, Nothing> walk_;
    TimeOrderBuilder notes_;
    std::vector<Other> others_;
    std::vector<std::byte> bytes_;  // of the others, one after the other
    std::uint64_t begin_ = 0, framed_ = 0;
    RecordMark end_;
    bool whole_ = false;
};

}  // namespace perfdata
