// SPDX-License-Identifier: MIT
// The "print fmt" of a tracepoint: a format of printf, with its arguments.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flat_print.hpp"
#include "trace_expression.hpp"
#include "trace_writer.hpp"

namespace perfdata {

// most_trace_text(record) returns the approximate limit on the text of one sample, in bytes, and on the parts of
// expressions that are evaluated for it. A sample's data take three letters per byte in hexadecimal.
std::size_t most_trace_text(const TraceRecord& record);

class TracePrint {
  public:
    // parse(text, ...) parses what follows "print fmt: "; nothing if any part is not understood or finds no room.
    static std::optional<TracePrint> parse(std::string_view text, const std::vector<TraceField>& fields,
                                           std::uint8_t long_size, TraceRoom& room);

    // append(text, ...) appends at most about 4 KiB and four bytes for each byte of the record, then "…". Unprintable
    // bytes of the format and of the record are appended as they are.
    void append(std::string& text, const std::vector<TraceField>& fields, const TraceRecord& record) const;

    // flat() prints the same, if all of it is printable; null if it cannot.
    const FlatPrint* flat() const { return flat_ ? &*flat_ : nullptr; }

    // names_code() returns true if it has a directive like "%pS".
    bool names_code() const;

    // Value is a piece of the text that shows a field: the "%s%s" of "prev_state=%s%s ==> ".
    struct Value {
        std::uint32_t first = 0, begin = 0;  // its first part, and the place in the literal of that
        std::uint32_t last = 0, end = 0;  // the part whose directive is not in it any more, and the end in its literal
        bool is_own = false;              // the field's value alone decides what it shows, but for names of code
    };
    // values(fields) finds what the text prints for fields, by name: the first "name=%d", "name: %d", "name = %d" or
    // "name %d" at the beginning of a word, up to the next blank of the format, without commas there, whose directives
    // use the field. Names and pieces are valid as long as this lives.
    std::map<std::string_view, Value> values(const std::vector<TraceField>& fields) const;
    // append_value(text, value, ...) appends such a piece, bounded as above. Returns what that took: bytes that were
    // looked at, and parts of expressions.
    std::size_t append_value(std::string& text, const Value& value, const std::vector<TraceField>& fields,
                             const TraceRecord& record) const;

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    // Part is a literal text, and the directive behind it.
    struct Part {
        std::string literal;
        TraceDirective directive{};  // conversion 0: none
        std::string letters{};       // behind "%p"
        std::uint32_t argument = none, width = none, precision = none;
        std::size_t steps = 0;  // of evaluating these
    };

    // parse_format(format, room) returns false if there is no room.
    bool parse_format(std::string_view format, TraceRoom& room);
    void append(const Part& part, TraceWriter& writer, const std::vector<TraceField>& fields,
                const TraceRecord& record) const;
    void append(const Part& part, const TraceDirective& directive, TraceWriter& writer,
                const std::vector<TraceField>& fields, const TraceRecord& record) const;

    // Steps counts what evaluating takes.
    struct Steps {
        std::size_t taken = 0, most = 0;
    };
    // append(part, steps, ...) returns false if that takes too much.
    bool append(const Part& part, Steps& steps, TraceWriter& writer, const std::vector<TraceField>& fields,
                const TraceRecord& record) const;

    // flatten() makes flat_ if that can print all parts within the limits of append().
    void flatten();

    std::vector<Part> parts_;
    std::vector<TraceExpression> arguments_;
    std::optional<FlatPrint> flat_;
};

}  // namespace perfdata
