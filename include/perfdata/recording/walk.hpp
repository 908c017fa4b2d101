// SPDX-License-Identifier: MIT
// One pass over all records: frame, find the event, decode, count what could not be decoded.
#pragma once

#include <algorithm>
#include <stop_token>
#include <string>
#include <utility>

#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/bpf_event.hpp"
#include "perfdata/wire/record/comm.hpp"
#include "perfdata/wire/record/ksymbol.hpp"
#include "perfdata/wire/record/lost.hpp"
#include "perfdata/wire/record/lost_samples.hpp"
#include "perfdata/wire/record/mmap.hpp"
#include "perfdata/wire/record/mmap2.hpp"

namespace perfdata {

// RecordContext is what a visitor learns besides the decoded record. It lives as long as the call.
struct RecordContext {
    const RecordView& view;
    std::uint32_t event = 0;  // index in recording.events()
    Trailer trailer;          // of kernel records other than SAMPLE
    // time() is when the record happened: zero for synthesized ones. A record whose event keeps no time happened when
    // it was written, which is as late as the latest record before it.
    Time time;
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
        switch (record.type()) {
            case RecordType::sample: return sample(record);
            case RecordType::ksymbol: return decode<Ksymbol>(record);
            case RecordType::bpf_event: return decode<BpfEvent>(record);
            case RecordType::comm: return decode<Comm>(record);
            case RecordType::mmap: return decode<Mmap>(record);
            case RecordType::mmap2: return decode<Mmap2>(record);
            case RecordType::lost: return decode<Lost>(record);
            case RecordType::lost_samples: return decode<LostSamples>(record);
            case RecordType::finished_round:
            case RecordType::finished_init: ++counts(record).decoded; return;  // nothing but a header
            case RecordType::compressed:
            case RecordType::compressed2: ++counts(record).decoded; return;  // the stream has unpacked it
            default: ++counts(record).skipped; return;
        }
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

    void damaged(RecordCounts& counts, Error error) {
        ++counts.damaged;
        completeness_.diagnostics.add(std::move(error));
    }

    void sample(const RecordView& record) {
        const auto event = events_.of_sample(record.bytes.data(), record.bytes.size(), order_);
        if (!event) return damaged(samples_, unknown_event(record));
        const auto& layout = events_.events()[*event].sample;
        if (record.bytes.size() < layout.variable_offset()) {
            return damaged(samples_, too_small(record, layout.variable_offset()));
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
        const auto event = events_.of_other(record);
        if (!event) return damaged(counts_of_type, unknown_event(record));
        const auto& layout = events_.events()[*event].trailer;
        const auto least = R::min_bytes + layout.size();
        if (record.bytes.size() < least) return damaged(counts_of_type, too_small(record, least));
        const auto decoded = R::decode(record, layout.size());
        if (!decoded) return damaged(counts_of_type, decoded.error());
        ++counts_of_type.decoded;
        if constexpr (std::is_same_v<R, Lost>) completeness_.lost_events += decoded->lost;
        if constexpr (std::is_same_v<R, LostSamples>) completeness_.lost_samples += decoded->lost;
        const auto trailer = layout.read(record);
        if (trailer.time) latest_ = std::max(latest_, *trailer.time);
        if constexpr (requires(const RecordContext& context) { visit_(context, *decoded); }) {
            visit_(RecordContext{record, *event, trailer, trailer.time.value_or(latest_)}, *decoded);
        }
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
                           const std::stop_token& stop) {
    Walk<Order, Visitor> walk(recording, completeness, order, visit);
    auto stream = recording.records();
    RecordView record;
    std::uint64_t framed = 0;
    std::uint64_t until_stop_check = 0;
    while (stream.next(record)) {
        if (!record.unpacked) framed += record.bytes.size();
        walk.take(record);
        if (++until_stop_check % 4096 == 0 && stop.stop_requested()) {
            return fail(ErrorCode::cancelled, record.offset, "data section", "asked to stop");
        }
    }
    walk.flush();
    completeness.diagnostics.append(stream.problems());
    auto& bytes = completeness.bytes;
    bytes.total = recording.bytes();
    bytes.records = framed;
    bytes.outside_records = recording.outside_records() + stream.payload_bytes();
    bytes.unread = bytes.total - std::min(bytes.total, bytes.records + bytes.outside_records);
    return {};
}

}  // namespace detail

// walk(recording, completeness, visit, stop) decodes every record in file order and calls visit(context, record) for
// those types that `visit` accepts: Ksymbol, BpfEvent, Comm, Mmap, Mmap2, Lost, LostSamples, and samples as
// BasicSample<Order> with any Order. What it read and what it lost is added to `completeness`. The only error is
// `cancelled`.
template <class Visitor>
Result<void> walk(const Recording& recording, Completeness& completeness, Visitor&& visit,
                  const std::stop_token& stop = {}) {
    if (recording.order().endian() == std::endian::little) {
        return detail::walk_in_order(recording, completeness, FixedOrder<std::endian::little>{}, visit, stop);
    }
    return detail::walk_in_order(recording, completeness, FixedOrder<std::endian::big>{}, visit, stop);
}

}  // namespace perfdata
