// SPDX-License-Identifier: MIT
// The pass over all records in order of the file that reads the side band, and notes what a pass in order of time
// needs.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/time_order_builder.hpp"
#include "perfdata/recording/walk.hpp"

#include "parts_ahead.hpp"

namespace perfdata {

// FirstPassOptions is who watches a first pass, and on how many threads it runs.
struct FirstPassOptions {
    Progress progress = {};
    PartsOptions parts = {};
};

// FirstPass decodes each record that is no sample, in order of the file, and counts the samples. Threads read the parts
// of a recording (see PartRead), and this one joins them:
//
//     threads         |  part 0  |  part 2  |  part 3  |  part 5 ...
//                       |  part 1  |          |  part 4  |
//     this thread                  0    1     2       3    ...        decodes the other records, in their order
//
// Where a part is not whole or does not begin where a record does, this thread reads the records itself, and from the
// first damage on all of them. So the result never depends on the number of threads.
template <class Order, class Visitor>
class FirstPass {
  public:
    FirstPass(const Recording& recording, Completeness& completeness, Order order, Visitor& visit,
              const FirstPassOptions& options)
        : recording_(recording),
          completeness_(completeness),
          order_(order),
          options_(options),
          walk_(recording, completeness, order, visit),
          notes_(recording.events()),
          place_(recording.data().offset) {}

    Result<TimeOrder> run() {
        auto stream = recording_.records(Recording::Stacks::unread);
        if (are_parts_worth_it()) {
            join_parts(stream);
        } else if (options_.parts.others_idle) {
            options_.parts.others_idle();
        }
        if (!stopped_) read_to(stream, everything);
        if (stopped_) return fail(ErrorCode::cancelled, Error::no_offset, "data section", "asked to stop");
        walk_.flush();
        completeness_.diagnostics.append(stream.problems());
        detail::count_bytes(recording_, completeness_, framed_, stream.payload_bytes());
        return std::move(notes_).finish(stream);
    }

  private:
    static constexpr auto everything = ~std::uint64_t{0};

    // Returns whether others can read parts of the only file, and it is large enough for that.
    bool are_parts_worth_it() const {
        constexpr std::size_t most_events = 1024;  // each part has counts of all
        return options_.parts.jobs > 1 && recording_.events().events().size() <= most_events &&
               recording_.data().size >= 4 * options_.parts.part_bytes && !recording_.header().pipe &&
               recording_.data_files() == 0 && recording_.feature(Feature::compressed) == nullptr &&
               detail::all_have_times(recording_.events());
    }

    // Reads records up to each part that is whole, and takes it if it begins where a record does. Streams that end here
    // have no problems and no data outside of records, so the last one has all.
    void join_parts(RecordStream& stream) {
        constexpr int most_useless = 16;  // one after the other: in a hole of terabytes there are no others
        PartsAhead<Order> parts(recording_, order_, options_.parts);
        int useless = 0;
        while (const auto part = parts.next()) {
            if (options_.parts.stop.stop_requested()) stopped_ = true;
            if (stopped_) return;
            if (++useless > most_useless) return;
            if (!part->whole() || part->begin() < place_) continue;
            if (part->begin() != place_ && !read_to(stream, part->begin())) return;
            auto begin = stream.mark();
            if (!begin || !begin->aligned || stream.payload_bytes() != 0) return;
            if (ahead_ && ahead_->offset != part->begin()) continue;
            ahead_.reset();
            useless = 0;
            begin->offset = part->begin();
            framed_ += part->add_to(walk_, completeness_, notes_, *begin);
            place_ = part->end().offset;
            stream = recording_.records(Recording::Stacks::unread);
            stream.start_at({place_, greatest(begin->longest, part->end().longest), true});
            if (options_.progress) options_.progress(framed_, recording_.bytes());
        }
    }

    // Takes all records before `end`; the one at `end` or behind it stays ahead_. Returns false if there is none, or if
    // asked to stop.
    bool read_to(RecordStream& stream, std::uint64_t end) {
        // Some thousand records of usual size lie between two looks, or some that are as large as they can be.
        constexpr std::int64_t bytes_a_look = 1 << 20, cost_of_record = 200;
        auto record = ahead_ ? *std::exchange(ahead_, {}) : RecordView();
        if (record.bytes.empty() && !stream.next(record, order_)) return false;
        for (auto left = bytes_a_look;;) {
            if (record.offset >= end) {
                ahead_ = record;
                return true;
            }
            const auto size = record.bytes.size();
            if (!record.unpacked) framed_ += size;
            notes_.take(record, stream, order_);
            walk_.take(record);
            place_ = record.offset + size;
            if (!stream.next(record, order_)) return false;
            left -= cost_of_record + static_cast<std::int64_t>(size);
            if (left > 0) continue;
            left = bytes_a_look;
            stopped_ = options_.parts.stop.stop_requested();
            if (stopped_) return false;
            if (options_.progress) options_.progress(framed_, recording_.bytes());
        }
    }

    const Recording& recording_;
    Completeness& completeness_;
    [[no_unique_address]] Order order_;
    const FirstPassOptions& options_;
    detail::Walk<Order, Visitor> walk_;
    TimeOrderBuilder notes_;
    std::optional<RecordView> ahead_;  // it was read, and nobody took it
    std::uint64_t place_;              // behind the last record that was taken
    std::uint64_t framed_ = 0;         // bytes
    bool stopped_ = false;
};

// first_pass(recording, completeness, visit, options) calls visit(context, record) for each record that `visit`
// accepts, but for samples, and adds to `completeness` what it read and lost. The only error is `cancelled`.
template <class Visitor>
Result<TimeOrder> first_pass(const Recording& recording, Completeness& completeness, Visitor&& visit,
                             const FirstPassOptions& options) {
    if (recording.order().endian() == std::endian::little) {
        return FirstPass(recording, completeness, FixedOrder<std::endian::little>{}, visit, options).run();
    }
    return FirstPass(recording, completeness, FixedOrder<std::endian::big>{}, visit, options).run();
}

}  // namespace perfdata
