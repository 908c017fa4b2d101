// SPDX-License-Identifier: MIT
// The C expressions in the "print fmt" of a tracepoint: parsed once, evaluated on the fields of each sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// TraceField is a line "field:unsigned long args[6]; offset:16; size:48; signed:0;" of a format.
struct TraceField {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;   // in bytes, of the whole array
    std::uint32_t count = 0;  // elements of an array; 0: not an array
    bool is_signed = false;
    bool is_text = false;  // elements are char
    bool is_long = false;  // printed in hexadecimal
    enum class Where : std::uint8_t { here, data_loc, rel_loc } where = Where::here;
};

// TraceRecord is the data of a sample.
struct TraceRecord {
    Bytes raw;
    AnyOrder order;
};

// field_bytes(field, record) returns its content, wherever in the record it is; cut at the end of the record.
Bytes field_bytes(const TraceField& field, const TraceRecord& record);
// field_number(field, record, index) returns 0 if the record has no such element.
std::uint64_t field_number(const TraceField& field, const TraceRecord& record, std::uint64_t index);

// TraceValue is a number, or a text if is_text.
struct TraceValue {
    std::uint64_t number = 0;
    bool is_text = false;
    std::string text;
};

// TraceExpression is one parsed expression; if any part is not understood, the whole format is shown as a list of
// fields. No recording can make it recurse deeply or read beyond the record.
class TraceExpression {
  public:
    // parse(text, fields) parses the arguments after the format's string, separated by commas.
    static std::optional<std::vector<TraceExpression>> parse(std::string_view text,
                                                             const std::vector<TraceField>& fields);

    TraceValue evaluate(const std::vector<TraceField>& fields, const TraceRecord& record) const {
        return evaluate(root_, fields, record);
    }
    // steps() is how many parts evaluate() looks at, at most.
    std::size_t steps() const { return steps_; }

  private:
    friend class TraceParser;
    enum class Kind : std::uint8_t {
        number,
        text,
        field,        // or an element of it, with the index as operand
        field_text,   // __get_str
        field_size,   // __get_dynamic_array_len
        unary,        // op
        binary,       // op
        conditional,  // three operands
        cast,         // to `number` bytes, signed if `flag`
        flags,        // __print_flags: names of all bits
        symbolic,     // __print_symbolic: the name of the value
        bytes,        // __print_hex: field; with spaces between if `flag`
    };
    struct Name {
        std::uint64_t value = 0;
        std::string text;
    };
    struct Node {
        Kind kind = Kind::number;
        bool flag = false;
        std::string op{};  // operator; delimiter of flags; text
        std::uint64_t number = 0;
        std::size_t field = 0;
        std::vector<std::size_t> operands{};
        std::vector<Name> names{};
    };

    TraceValue evaluate(std::size_t at, const std::vector<TraceField>& fields, const TraceRecord& record) const;
    std::uint64_t number(std::size_t at, const std::vector<TraceField>& fields, const TraceRecord& record) const {
        return evaluate(at, fields, record).number;
    }

    std::vector<Node> nodes_;
    std::size_t root_ = 0, steps_ = 0;
};

// unescaped("a\\n") returns the value of the inside of a C string.
std::string unescaped(std::string_view text);

}  // namespace perfdata
