// SPDX-License-Identifier: MIT
// Expressions over fields of tracepoints, in the grammar of the kernel's event filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/profile/payload_filter.hpp"

#include "trace_fields.hpp"

namespace perfdata {

// TraceFilter is a parsed expression, such as "prev_pid == 0 && next_comm ~ \"kworker*\"". It follows
// kernel/trace/trace_events_filter.c, and takes besides: texts without quotes, blanks behind "!", elements of arrays,
// and -1 for unsigned fields.
class TraceFilter {
  public:
    static constexpr std::size_t most_bytes = 4096;  // of an expression; the kernel takes a page
    static constexpr unsigned most_depth = 64;       // of parentheses and "!"

    // parse(text): no error depends on a recording. Errors: malformed, limit, unsupported; they say where in the text.
    static Result<TraceFilter> parse(std::string_view text);

    enum class Operator : std::uint8_t { equal, unequal, less, less_equal, greater, greater_equal, bits, glob };
    // Comparison is "field op value".
    struct Comparison {
        FieldName field;
        Operator op = Operator::equal;
        bool is_text = false;      // the value is `text`, else `number`
        std::string text{};        // as the user wrote it, without quotes
        std::uint64_t number = 0;  // negative ones in two's complement
        bool is_number = false;    // `number` is valid: also of a text without quotes that looks like one

        // matches(text) compares with the text of a field, matches(number, type) with its number.
        bool matches(std::string_view found) const;
        bool matches(const FieldNumber& found, std::size_t bytes) const;
    };
    // Step is a node: its operands are steps with lower numbers. The last step is the whole expression.
    struct Step {
        enum class Kind : std::uint8_t { comparison, negation, conjunction, disjunction } kind = Kind::comparison;
        std::uint32_t first =
            0;  // the comparison, by index in comparisons(); else the left operand, by index in steps()
        std::uint32_t second = 0;  // the right operand of && and ||
    };

    const std::vector<Comparison>& comparisons() const { return comparisons_; }
    const std::vector<Step>& steps() const { return steps_; }

  private:
    friend class TraceFilterParser;

    std::vector<Comparison> comparisons_;
    std::vector<Step> steps_;
};

// word_of(op) returns an operator as users write it; it lives for ever.
std::string_view word_of(TraceFilter::Operator op);

// matches_glob(pattern, text): the kernel's patterns, with "*", "?", "[a-z]", "[!a-z]", and "\" before a character that
// means itself. Costs the product of their sizes at most.
bool matches_glob(std::string_view pattern, std::string_view text);

// BoundTraceFilter is an expression with the places of its fields in each event. A comparison of a field that the event
// does not have, or whose value is outside of the sample's data, is neither true nor false, as null is in SQL:
// "unknown || true" is true, "unknown && false" is false, and everything else stays unknown, which passes no sample.
class BoundTraceFilter final : public PayloadFilter {
  public:
    // bind(filter, fields, events, names, cpu): `events` are the indices of the events that matter, `names` their
    // names, for messages, `cpu` says which of them have a CPU in their samples: all if it is empty. Errors: missing (a
    // field that none of the events has), malformed (a value that the field of no event can be compared with), limit
    // (too many events for such an expression).
    static Result<Shared<const BoundTraceFilter>> bind(TraceFilter filter, const TraceFields& fields,
                                                       const std::vector<std::uint32_t>& events,
                                                       const std::vector<std::string>& names,
                                                       const std::vector<bool>& cpu = {});

    BoundTraceFilter(TraceFilter filter, AnyOrder order) : filter_(std::move(filter)), order_(order) {}

    PayloadAnswer ask(const SamplePayload& payload) const override;
    bool needs_comm() const override { return needs_comm_; }

    // Lacking is a field that some events have, and this one has not, or has of a type that cannot be compared so.
    struct Lacking {
        std::uint32_t event = 0;  // index in recording.events()
        std::string field{};
        std::string problem{};  // with its type: "is a text..."; empty: it has none
    };
    // lacking() returns such fields in the order of the events.
    const std::vector<Lacking>& lacking() const { return lacking_; }
    // lacks_cpu() returns true if it compares a CPU that none of the events has.
    bool lacks_cpu() const { return lacks_cpu_; }

  private:
    // Source is where the value of a comparison comes from in an event.
    struct Source {
        enum class Kind : std::uint8_t { none, field, comm, cpu } kind = Kind::none;
        FieldType type{};
    };
    enum class Truth : std::uint8_t { no, yes, unknown };

    Truth compare(const TraceFilter::Comparison& comparison, const Source& source, const SamplePayload& payload) const;

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    TraceFilter filter_;
    AnyOrder order_;
    std::vector<std::vector<Source>> sources_;  // of each bound event, by comparison
    std::vector<std::uint32_t> by_event_;       // by index of the event: index in sources_, or none
    std::vector<Lacking> lacking_;
    bool needs_comm_ = false, lacks_cpu_ = false;
};

}  // namespace perfdata
