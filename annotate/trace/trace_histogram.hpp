// SPDX-License-Identifier: MIT
// Counts the values of numeric fields of tracepoints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/format/field_histogram.hpp"
#include "perfdata/core/error.hpp"

#include "trace_fields.hpp"

namespace perfdata {

// HistogramCounter counts one field of one event. It takes 16 bytes for each bucket that has values, of which there are
// at most 129: a recording may have a million counters with a value each.
class HistogramCounter {
  public:
    // buckets() returns how many it keeps.
    std::size_t buckets() const { return counts_.size(); }
    void add(const FieldNumber& number);
    void add_no_value() { ++no_value_; }
    // histogram(event, field, is_signed) returns what was counted.
    FieldHistogram histogram(std::uint32_t event, std::string field, bool is_signed) const;

  private:
    // Numbers of buckets: 0 is in the middle, magnitudes rise to both sides.
    static constexpr std::size_t zero = 64;
    struct Count {
        std::uint8_t bucket = 0;
        std::uint64_t values = 0;
    };

    void count(std::size_t bucket);

    std::vector<Count> counts_;  // by number of the bucket
    std::uint64_t samples_ = 0, no_value_ = 0;
    std::uint64_t least_ = 0, most_ = 0;
    // The exact sum of the values, in two's complement of 128 bits.
    std::uint64_t sum_low_ = 0, sum_high_ = 0;
};

// HistogramField is a field that was asked for.
struct HistogramField {
    FieldName name{};
    std::string of{};           // the event, as users name it; empty: any
    std::vector<bool> takes{};  // by number of the event, whether it is that one; empty: all are
    std::string left_out{};     // the name of an event with the field that does not matter; empty: none
};

// TraceHistograms counts some fields of all events that have them.
class TraceHistograms {
  public:
    // make(fields, wanted, events, event_names): what was asked for, each field of an event counts once; the indices of
    // the events that matter, and what they are called. Errors: missing (none of the events has the field), malformed
    // (it is a number of none), limit (too many fields and events).
    static Result<TraceHistograms> make(TraceFields fields, const std::vector<HistogramField>& wanted,
                                        const std::vector<std::uint32_t>& events,
                                        const std::vector<std::string>& event_names);

    // add(event, raw) counts a sample, by index in recording.events().
    void add(std::uint32_t event, std::optional<Bytes> raw);
    // histograms() returns all of them, by field and then by event, in the order of make(): empty ones of events
    // without samples.
    std::vector<FieldHistogram> histograms() const;
    // problems() returns what could not be read of formats, for Completeness.
    std::vector<Error> problems() const { return fields_.problems(); }
    // without_field() returns how many samples have none of the fields: their event lacks them, or has no numbers
    // there.
    std::uint64_t without_field() const { return without_field_; }

  private:
    struct One {
        std::uint32_t event = 0;
        FieldName name{};
        FieldType type{};
        std::unique_ptr<HistogramCounter> counter{};  // made for the first sample
    };

    TraceFields fields_;
    std::vector<One> all_;
    std::vector<std::vector<std::uint32_t>> by_event_;  // by index of the event: indices in all_
    std::uint64_t without_field_ = 0;
};

}  // namespace perfdata
