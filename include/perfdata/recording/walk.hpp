// SPDX-License-Identifier: MIT
// One pass over all records: frame, find the event, decode, count what could not be decoded.
#pragma once

#include <algorithm>
#include <stop_token>
#include <string>
#include <utility>

#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/all.hpp"

namespace perfdata {

// RecordContext is what a visitor learns besides the decoded record. It lives as long as the call.
struct RecordContext {
    static constexpr std::uint32_t no_event = ~std::uint32_t{0};

    const RecordView& view;
    std::uint32_t event = no_event;  // index in recording.events(); records of perf itself belong to none
    Trailer trailer;                 // of kernel records other than SAMPLE
    // time() is when the record happened: zero for synthesized ones. A record whose event keeps no time happened when
    // it was written, which is as late as the latest record before it.
    Time time;
};

enum class RecordOrder : std::uint8_t {
    file,  // as they lie in the file; the memory needed does not grow with it
    time,  // exact: see OrderedStream
};

struct WalkOptions {
    RecordOrder order = RecordOrder::file;
    std::stop_token stop;
};

namespace detail {

inline Error unknown_event(const RecordView& record) {
    return {ErrorCode::malformed, record.offset, "record " + std::string(record_type_name(record.header().type)),
            "the event id in it belongs to no event of this recording"};
}

inline Error too_small(const RecordView& record, std::size_t least) {
    return {ErrorCode::truncated, record.offset, "record " + std::string(record_type_name(record.header().type)),
            std::to_string(record.bytes.size()) + " bytes; at least " + std::to_string(least) + " expected"};
}

template <class Order, class Visitor>
class Walk {
  public:
    Walk(const Recording& recording, Completeness& completeness, Order order, Visitor& visit)
        : events_(recording.events()), completeness_(completeness), order_(order), visit_(visit) {}

    void take(const RecordView& record) {
        if (record.type() == RecordType::sample) return sample(record);
        const auto known = visit_record_type(record.type(), [&]<class R>() { decode<R>(record); });
        if (known) return;
        ++counts(record).skipped;
        if constexpr (requires { visit_.unknown(record); }) visit_.unknown(record);
    }

    // flush() adds the counts that are kept aside while walking.
    void flush() {
        if (samples_.total() != 0) {
            auto& counts = completeness_.records[static_cast<std::uint32_t>(RecordType::sample)];
            counts.decoded += samples_.decoded;
            counts.damaged += samples_.damaged;
        }
    }

  private:
    RecordCounts& counts(const RecordView& record) { return completeness_.records[record.header().type]; }

    void damaged(const RecordView& record, RecordCounts& counts, Error error) {
        ++counts.damaged;
        if constexpr (requires { visit_.damaged(record, error); }) visit_.damaged(record, error);
        completeness_.diagnostics.add(std::move(error));
    }

    void sample(const RecordView& record) {
        const auto event = events_.of_sample(record.bytes.data(), record.bytes.size(), order_);
        if (!event) return damaged(record, samples_, unknown_event(record));
        const auto& layout = events_.events()[*event].sample;
        if (record.bytes.size() < layout.variable_offset()) {
            return damaged(record, samples_, too_small(record, layout.variable_offset()));
        }
        const auto parts =
            sample_parts(record.bytes.data(), record.bytes.size(), layout.variable_offset(), layout.shape(), order_);
        if (parts.overrun) {
            return damaged(record, samples_,
                           {ErrorCode::truncated, record.offset, "record SAMPLE",
                            std::string(to_string(*parts.overrun)) + " goes beyond the record's " +
                                std::to_string(record.bytes.size()) + " bytes"});
        }
        ++samples_.decoded;
        const BasicSample<Order> sample(record.bytes.data(), layout, order_);
        const auto time = sample.time();
        if (time) latest_ = std::max(latest_, *time);
        if constexpr (requires(const RecordContext& context) { visit_(context, sample); }) {
            visit_(RecordContext{record, *event, {}, time.value_or(latest_)}, sample);
        }
    }

    template <class R>
    void decode(const RecordView& record) {
        auto& counts_of_type = counts(record);
        constexpr bool of_kernel = R::type < RecordType::header_attr;
        RecordContext context{record, RecordContext::no_event, {}, latest_};
        std::size_t trailer_size = 0;
        std::uint64_t read_format = 0;
        if constexpr (of_kernel) {
            const auto event = events_.of_other(record);
            if (!event) return damaged(record, counts_of_type, unknown_event(record));
            const auto& found = events_.events()[*event];
            trailer_size = found.trailer.size();
            read_format = found.attr.read_format;
            context.event = *event;
        }
        const auto least = R::min_bytes + trailer_size;
        if (record.bytes.size() < least) return damaged(record, counts_of_type, too_small(record, least));
        const auto decoded = decode_record<R>(record, trailer_size, read_format);
        if (!decoded) return damaged(record, counts_of_type, decoded.error());
        ++counts_of_type.decoded;
        if constexpr (std::is_same_v<R, Lost>) completeness_.lost_events += decoded->lost;
        if constexpr (std::is_same_v<R, LostSamples>) completeness_.lost_samples += decoded->lost;
        if constexpr (of_kernel) {
            context.trailer = events_.events()[context.event].trailer.read(record);
            if (context.trailer.time) {
                context.time = *context.trailer.time;
                latest_ = std::max(latest_, context.time);
            }
        }
        if constexpr (requires { visit_(context, *decoded); }) visit_(context, *decoded);
    }

    const EventTable& events_;
    Completeness& completeness_;
    [[no_unique_address]] Order order_;
    Visitor& visit_;
    RecordCounts samples_;
    Time latest_;
};

template <class Order, class Visitor>
Result<void> walk_in_order(const Recording& recording, Completeness& completeness, Order order, Visitor& visit,
                           const WalkOptions& options) {
    constexpr std::uint64_t records_a_look = 4096;
    Walk<Order, Visitor> walk(recording, completeness, order, visit);
    std::uint64_t framed = 0;
    std::uint64_t count = 0;
    const auto take = [&](const RecordView& record) {
        if (!record.unpacked) framed += record.bytes.size();
        walk.take(record);
        return ++count % records_a_look != 0 || !options.stop.stop_requested();
    };
    const auto finish = [&](const RecordStream& stream) {
        walk.flush();
        completeness.diagnostics.append(stream.problems());
        auto& bytes = completeness.bytes;
        bytes.total = recording.bytes();
        bytes.records = framed;
        bytes.outside_records = recording.outside_records() + stream.payload_bytes();
        bytes.unread = bytes.total - std::min(bytes.total, bytes.records + bytes.outside_records);
    };
    RecordView record;
    const auto stopped = [&] { return fail(ErrorCode::cancelled, record.offset, "data section", "asked to stop"); };
    if (options.order == RecordOrder::file) {
        auto stream = recording.records();
        while (stream.next(record)) {
            if (!take(record)) return stopped();
        }
        finish(stream);
    } else {
        OrderedStream stream(recording);
        Time time;
        while (stream.next(record, time)) {
            if (!take(record)) return stopped();
        }
        finish(stream.first_pass());
    }
    return {};
}

}  // namespace detail

// walk(recording, completeness, visit, options) decodes every record and calls visit(context, record) for those types
// that `visit` accepts: any of AllRecords, and samples as BasicSample<Order> with any Order. If it has them,
// visit.unknown(view) is called for records of unknown types and visit.damaged(view, error) for those that cannot be
// decoded. What it read and what it lost is added to `completeness`. The only error is `cancelled`.
template <class Visitor>
Result<void> walk(const Recording& recording, Completeness& completeness, Visitor&& visit,
                  const WalkOptions& options = {}) {
    if (recording.order().endian() == std::endian::little) {
        return detail::walk_in_order(recording, completeness, FixedOrder<std::endian::little>{}, visit, options);
    }
    return detail::walk_in_order(recording, completeness, FixedOrder<std::endian::big>{}, visit, options);
}

}  // namespace perfdata
