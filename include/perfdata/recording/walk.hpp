// SPDX-License-Identifier: MIT
// One pass over all records: frame, find the event, decode, count what could not be decoded.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/record_mark.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/all.hpp"
#include "perfdata/wire/sample.hpp"

namespace perfdata {

// RecordContext is what a visitor gets besides the decoded record. It lives as long as the call.
struct RecordContext {
    static constexpr std::uint32_t no_event = ~std::uint32_t{0};  // of records that belong to none
    static constexpr Trailer no_trailer{};                        // of records that have none

    const RecordView& view;          // the record as it lies there
    std::uint32_t event = no_event;  // index in recording.events(); records of perf itself belong to none
    // time is when the record happened: zero for synthesized ones. If its event keeps no time, it is the time it was
    // written: that of the latest record before it.
    Time time;
    const Trailer& trailer = no_trailer;  // of kernel records other than SAMPLE
};

// RecordOrder is the order in which records come.
enum class RecordOrder : std::uint8_t {
    file,  // as they lie in the file; memory use does not grow with the file
    time,  // exact: see OrderedStream
};

// WalkBudget is after how much work walk() gives up, in order of the file. It looks after each MiB or some thousand
// records, so it may do a little more, and unpack twice as much. By default it goes on to the end.
struct WalkBudget {
    static constexpr auto no_limit = ~std::uint64_t{0};  // goes on to the end
    std::uint64_t records = no_limit;                    // of all types, unpacked ones too
    std::uint64_t damaged = no_limit;         // records that cannot be decoded, and places where none can be framed
    std::uint64_t unpacked_bytes = no_limit;  // that come out of COMPRESSED records
};

// WalkPart is a part of a recording, in order of the file, between two of TimeOrder::marks().
struct WalkPart {
    std::optional<RecordMark> begin;  // nothing: the first record
    std::optional<RecordMark> end;    // nothing: behind the last record
};

// WalkOptions is in which order records come, and who watches.
struct WalkOptions {
    RecordOrder order = RecordOrder::file;  // in which records come
    StopToken stop;                         // once it stops, walk() fails with `cancelled`
    Progress progress = {};                 // is told of the bytes of the recording
    // In order of time: what a pass before noted, see Timeline::times(). Null: a first pass is made.
    Shared<const TimeOrder> times = {};
    WalkBudget budget = {};  // once it is used up, walk() fails with `limit`
    // In order of the file: walk() visits the records of this part only, and adds nothing to Completeness::bytes. Each
    // event must have times in its samples: else the time of a sample is that of a record before it. If the records are
    // not those that the marks were made of, since the file has changed, it fails with `malformed`. Null: all records.
    const WalkPart* part = nullptr;
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

// RecordCounter counts records by type, without a search for known types.
class RecordCounter {
  public:
    RecordCounts& of(std::uint32_t type) { return type < known_.size() ? known_[type] : other_[type]; }
    RecordCounts& of(RecordType type) { return of(static_cast<std::uint32_t>(type)); }

    void add_to(std::map<std::uint32_t, RecordCounts>& records) const {
        const auto add = [&](std::uint32_t type, const RecordCounts& counts) {
            if (counts.total() == 0) return;
            auto& sum = records[type];
            sum.decoded += counts.decoded;
            sum.skipped += counts.skipped;
            sum.damaged += counts.damaged;
        };
        for (std::uint32_t type = 0; type < known_.size(); ++type) add(type, known_[type]);
        for (const auto& [type, counts] : other_) add(type, counts);
    }

  private:
    std::array<RecordCounts, last_record_type + 1> known_{};
    std::map<std::uint32_t, RecordCounts> other_;
};

// Returns whether each sample has its time.
inline bool all_have_times(const EventTable& events) {
    for (const auto& event : events.events()) {
        if (!event.attr.has(sample_bit::time)) return false;
    }
    return true;
}

// Returns whether an event is there for records of other types only: perf's "dummy".
inline bool takes_no_samples(const Attr& attr) {
    constexpr std::uint64_t dummy = 9;  // PERF_COUNT_SW_DUMMY
    return attr.type == attr_type::software && attr.config == dummy;
}

// Returns whether each event counts its own losses.
inline bool all_count_losses(const EventTable& events) {
    for (const auto& event : events.events()) {
        if ((event.attr.read_format & read_bit::lost) == 0) return false;
    }
    return !events.events().empty();
}

// Records that are the header of a pipe. Recording reads them when it is opened.
template <class R>
constexpr bool of_pipe_header = R::type == RecordType::header_attr || R::type == RecordType::header_feature ||
                                R::type == RecordType::header_tracing_data;

template <class Visitor>
concept samples_only = requires {
    requires std::remove_cvref_t<Visitor>::samples_only;
};

// Returns whether the visitor sees bytes of samples, beyond what decides whether they are damaged.
template <class Order, class Visitor>
constexpr bool sees_samples() {
    return requires(Visitor & visit, const RecordContext& context, const BasicSample<Order>& sample) {
        visit(context, sample);
    }
    || requires(Visitor & visit, const RecordView& record, const Error& error) {
        visit.damaged(record, error);
    };
}

template <class Order, class Visitor>
class Walk {
  public:
    Walk(const Recording& recording, Completeness& completeness, Order order, Visitor& visit)
        : recording_(recording),
          events_(recording.events()),
          completeness_(completeness),
          order_(order),
          visit_(visit),
          samples_have_times_(all_have_times(events_)),
          samples_(events_.events().size()) {}

    void take(const RecordView& record) {
        const auto type = static_cast<RecordType>(order_.template load<std::uint32_t>(record.bytes.data()));
        if (type == RecordType::sample) [[likely]] {
            return sample(record);
        }
        if constexpr (samples_only<Visitor>) {
            if (samples_have_times_) return;
        }
        other(record, type);
    }

    std::uint64_t damaged_records() const { return damaged_; }

    // add(samples) adds what another walk counted of samples, none of which was damaged. not_before(time) makes records
    // without a time of their own not earlier than that.
    template <class Other>
    void add(const Walk<Order, Other>& samples) {
        for (std::size_t event = 0; event < samples_.size(); ++event) {
            samples_[event] += samples.samples_of(event);
            counts_.of(RecordType::sample).decoded += samples.samples_of(event);
        }
        not_before(samples.latest());
    }
    void not_before(Time time) { latest_ = greatest(latest_, time); }
    Time latest() const { return latest_; }                                        // of the records so far
    std::uint64_t samples_of(std::size_t event) const { return samples_[event]; }  // decoded ones

    // flush() adds the counts collected during the walk.
    void flush() {
        counts_.add_to(completeness_.records);
        completeness_.counts_losses = all_count_losses(events_);
        if (lost_others_ != 0) {
            // LOST records tell of them as well, unless the recorder did not get so far as to write one.
            const auto samples = completeness_.counts_losses ? completeness_.lost_samples : 0;
            completeness_.lost_events = greatest(completeness_.lost_events, add_up_to_most(samples, lost_others_));
        }
        for (const auto& [event, losses] : losses_) {
            auto& sum = completeness_.losses[event];
            sum.event = events_.events()[event].name;
            sum.samples += samples_[event];
            sum.lost += losses.lost;
            sum.by_filter += losses.by_filter;
        }
    }

  private:
    void sample(const RecordView& record) {
        const auto* bytes = record.bytes.data();
        const auto size = record.bytes.size();
        const auto event = events_.of_sample(bytes, size, order_, recent_ids_);
        if (!event) return damaged_sample(record, no_layout);
        const auto& layout = events_.layout(*event);
        if (!layout.fits(bytes, size, order_)) return damaged_sample(record, layout);
        ++counts_.of(RecordType::sample).decoded;
        ++samples_[*event];
        const BasicSample<Order> sample(bytes, layout, order_);
        if (sample.has_unread_callers()) [[unlikely]] {
            ++completeness_.stacks_not_unwound;
        }
        const auto time = sample.time();
        if (time) latest_ = greatest(latest_, *time);
        if constexpr (requires(const RecordContext& context) { visit_(context, sample); }) {
            visit_(RecordContext{record, *event, time.value_or(latest_)}, sample);
        }
    }

    // Everything but samples is rare.
    [[gnu::noinline]] void other(const RecordView& record, RecordType type) {
        if (visit_record_type(type, [&]<class R>() { decode<R>(record); })) return;
        ++counts_.of(static_cast<std::uint32_t>(type)).skipped;
        if constexpr (requires { visit_.unknown(record); }) visit_.unknown(record);
    }

    template <class R>
    void decode(const RecordView& record) {
        auto& counts = counts_.of(R::type);
        constexpr bool of_kernel = R::type < RecordType::header_attr;
        std::uint32_t index = RecordContext::no_event;
        std::size_t trailer_size = 0;
        std::uint64_t read_format = 0;
        if constexpr (of_kernel) {
            const auto event = events_.of_other(record);
            if (!event) return damaged(record, counts, [&] { return unknown_event(record); });
            const auto& found = events_.events()[*event];
            trailer_size = found.trailer.size();
            read_format = found.attr.read_format;
            index = *event;
        }
        const auto least = R::min_bytes + trailer_size;
        if (record.bytes.size() < least) {
            return damaged(record, counts, [&] { return too_small(record, least); });
        }
        const auto decoded = decode_record<R>(record, trailer_size, read_format);
        if (!decoded) return damaged(record, counts, [&] { return decoded.error(); });
        ++counts.decoded;
        if constexpr (std::is_same_v<R, Lost>) {
            completeness_.lost_events = add_up_to_most(completeness_.lost_events, decoded->lost);
        }
        if constexpr (of_pipe_header<R>) {
            if (recording_.is_late(record)) completeness_.diagnostics.add(too_late(record, R::record_name));
        }
        Trailer trailer;
        auto time = latest_;
        if constexpr (of_kernel) {
            trailer = events_.events()[index].trailer.read(record);
            if (trailer.time) {
                time = *trailer.time;
                latest_ = greatest(latest_, time);
            }
        }
        if constexpr (std::is_same_v<R, LostSamples>) count_lost(*decoded, index, trailer);
        if constexpr (requires(const RecordContext& context) { visit_(context, *decoded); }) {
            visit_(RecordContext{record, index, time, trailer}, *decoded);
        }
    }

    void count_lost(const LostSamples& record, std::uint32_t event, const Trailer& trailer) {
        const auto count = [&](std::uint64_t& sum) { sum = add_up_to_most(sum, record.lost); };
        // Without an id, `event` is only one whose trailer has the right form.
        const bool named = events_.events().size() == 1 || (trailer.id && trailer.id->value != 0);
        if (named && !record.by_bpf_filter && takes_no_samples(events_.events()[event].attr)) {
            count(lost_others_);
            return;
        }
        count(record.by_bpf_filter ? completeness_.filtered_samples : completeness_.lost_samples);
        if (!named) return;
        auto& losses = losses_[event];
        count(record.by_bpf_filter ? losses.by_filter : losses.lost);
    }

    static constexpr SampleLayout no_layout{};

    [[gnu::cold, gnu::noinline]] void damaged_sample(const RecordView& record, const SampleLayout& layout) {
        auto& counts = counts_.of(RecordType::sample);
        const auto least = layout.variable_offset();
        damaged(record, counts, [&] {
            if (&layout == &no_layout) return unknown_event(record);
            if (record.bytes.size() < least) return too_small(record, least);
            return overrun(record, layout);
        });
    }

    static Error overrun(const RecordView& record, const SampleLayout& layout) {
        const auto parts = sample_parts(record.bytes.data(), record.bytes.size(), layout.variable_offset(),
                                        layout.shape(), record.order);
        return {ErrorCode::truncated, record.offset, "record SAMPLE",
                std::string(parts.overrun ? to_string(*parts.overrun) : "a part") + " goes beyond the record's " +
                    std::to_string(record.bytes.size()) + " bytes"};
    }

    static Error too_late(const RecordView& record, std::string_view name) {
        return {ErrorCode::malformed, record.offset, std::string(name),
                "behind the first samples of a pipe: what it says is not used"};
    }

    // The error, which error() returns, is made only for those who see it: texts for each of millions of damaged
    // records take minutes.
    template <class MakeError>
    [[gnu::cold, gnu::noinline]] void damaged(const RecordView& record, RecordCounts& counts, MakeError error) {
        ++counts.damaged;
        ++damaged_;
        constexpr bool shown = requires(const Error& seen) {
            visit_.damaged(record, seen);
        };
        if (!shown && completeness_.diagnostics.is_full()) return completeness_.diagnostics.add_unseen();
        Error made = error();
        if constexpr (shown) visit_.damaged(record, made);
        completeness_.diagnostics.add(std::move(made));
    }

    const Recording& recording_;
    const EventTable& events_;
    Completeness& completeness_;
    [[no_unique_address]] Order order_;
    Visitor& visit_;
    const bool samples_have_times_;  // else those of other records count
    EventTable::RecentIds recent_ids_;
    RecordCounter counts_;
    std::uint64_t damaged_ = 0;  // of all types
    // By event, so at most Limits::events of each: the decoded samples, and losses without names and samples.
    std::vector<std::uint64_t> samples_;
    std::map<std::uint32_t, EventLosses> losses_;
    std::uint64_t lost_others_ = 0;  // records that events without samples lost
    Time latest_;
};

// Sets Completeness::bytes after a pass over all records that framed so many, with so many of data behind records.
inline void count_bytes(const Recording& recording, Completeness& completeness, std::uint64_t framed,
                        std::uint64_t payload) {
    auto& bytes = completeness.bytes;
    bytes.total = recording.bytes();
    bytes.records = framed;
    bytes.outside_records = recording.outside_records() + payload;
    bytes.unread = bytes.total - least(bytes.total, bytes.records + bytes.outside_records);
}

template <class Order, class Visitor>
Result<void> walk_in_order(const Recording& recording, Completeness& completeness, Order order, Visitor& visit,
                           const WalkOptions& options) {
    // Some thousand records of usual size lie between two looks, or some that are as large as they can be.
    constexpr std::int64_t bytes_a_look = 1 << 20, cost_of_record = 200;
    Walk<Order, Visitor> walk(recording, completeness, order, visit);
    RecordView record;
    std::uint64_t framed = 0, taken = 0;
    bool used_up = false;
    const auto spent = [&](const auto& stream) {
        const auto& most = options.budget;
        used_up = taken > most.records || walk.damaged_records() + stream.problems().count() > most.damaged;
        if constexpr (requires { stream.unpacked_bytes(); }) {
            used_up = used_up || stream.unpacked_bytes() > most.unpacked_bytes;
        }
        return used_up;
    };
    // True at the end, false if asked to stop or if the budget is used up.
    const auto all = [&](const auto& stream, auto&& next) {
        for (;;) {
            for (auto left = bytes_a_look; left > 0;) {
                if (!next()) return !spent(stream);
                const auto size = record.bytes.size();
                ++taken;
                if (!record.unpacked) framed += size;
                left -= cost_of_record + static_cast<std::int64_t>(size);
                walk.take(record);
            }
            if (options.stop.stop_requested() || spent(stream)) return false;
            if (options.progress) options.progress(framed, recording.bytes());
        }
    };
    const auto finish = [&](const auto& stream) {
        walk.flush();
        completeness.diagnostics.append(stream.problems());
        if (options.part == nullptr) count_bytes(recording, completeness, framed, stream.payload_bytes());
    };
    if (options.order == RecordOrder::file) {
        // A stream that stops unpacking at twice the budget has unpacked more than it, even in a single record.
        const auto most = options.budget.unpacked_bytes;
        auto stream =
            recording.records(sees_samples<Order, Visitor>() ? Recording::Stacks::read : Recording::Stacks::unread,
                              add_up_to_most(most, most));
        if (options.part != nullptr) {
            if (options.part->begin) stream.start_at(*options.part->begin);
            const auto end = options.part->end ? options.part->end->offset : ~std::uint64_t{0};
            bool at_end = false;
            const auto next = [&] {
                if (!stream.next(record, order)) return false;
                at_end = record.offset >= end;
                return !at_end;
            };
            if (all(stream, next)) {
                finish(stream);
                const bool as_marked = options.part->end ? at_end && record.offset == end : !at_end;
                if (as_marked && stream.problems().count() == 0) return {};
                return fail(ErrorCode::malformed, record.offset, "data section", "it has changed since it was read");
            }
        } else if (all(stream, [&] { return stream.next(record, order); })) {
            finish(stream);
            return {};
        }
    } else {
        auto stream = options.times ? OrderedStream(recording, options.times) : OrderedStream(recording, options.stop);
        Time time;
        if (!stream.stopped() && all(stream, [&] { return stream.next(record, time); })) {
            finish(stream);
            return {};
        }
    }
    if (used_up) return fail(ErrorCode::limit, record.offset, "data section", "more records than the budget allows");
    return fail(ErrorCode::cancelled, record.offset, "data section", "asked to stop");
}

}  // namespace detail

// walk(recording, completeness, visit, options) decodes every record and calls visit(context, record) for the types
// that `visit` accepts: any of AllRecords, and samples as BasicSample<Order> with any Order. If these exist,
// visit.unknown(view) is called for records of unknown types and visit.damaged(view, error) for those that cannot be
// decoded. What it read and lost is added to `completeness`. The only errors are `cancelled`, `limit` (of
// WalkOptions::budget), `malformed` (of WalkOptions::part) and `out_of_memory`. A visitor with `static constexpr bool
// samples_only = true` is for a second pass: records of other types need not be decoded, and `completeness` covers only
// samples.
template <class Visitor>
Result<void> walk(const Recording& recording, Completeness& completeness, Visitor&& visit,
                  const WalkOptions& options = {}) {
    return catch_bad_alloc([&] {
        if (recording.order().endian() == std::endian::little) {
            return detail::walk_in_order(recording, completeness, FixedOrder<std::endian::little>{}, visit, options);
        }
        return detail::walk_in_order(recording, completeness, FixedOrder<std::endian::big>{}, visit, options);
    });
}

}  // namespace perfdata
