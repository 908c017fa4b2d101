// SPDX-License-Identifier: MIT
// The "print fmt" of a tracepoint: a format of printf, with its arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    // Part is a literal text, and the directive behind it.
    struct Part {
        std::string literal;
        TraceDirective directive{};  // conversion 0: none
        std::string letters{};       // behind "%p"
        std::uint32_t argument = none, width = none, precision = none;
    };

    // parse_format(format, room) returns false if there is no room.
    bool parse_format(std::string_view format, TraceRoom& room);
    void append(const Part& part, TraceWriter& writer, const std::vector<TraceField>& fields,
                const TraceRecord& record) const;

    std::vector<Part> parts_;
    std::vector<TraceExpression> arguments_;
};

}  // namespace perfdata
