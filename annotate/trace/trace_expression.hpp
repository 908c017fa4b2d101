// SPDX-License-Identifier: MIT
// The C expressions in the "print fmt" of a tracepoint: parsed once, evaluated on the fields of each sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"

#include "trace_names.hpp"
#include "trace_number.hpp"
#include "trace_program.hpp"
#include "trace_types.hpp"

namespace perfdata {

// TraceField is a line "field:unsigned long args[6]; offset:16; size:48; signed:0;" of a format.
struct TraceField {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;     // in bytes, of the whole array
    std::uint32_t count = 0;    // elements of an array; 0: not an array
    std::uint32_t element = 0;  // bytes of an element of an array; 0: unknown
    std::uint32_t columns = 0;  // of an array of arrays: elements of an inner one; else 0
    bool is_signed = false;
    bool is_text = false;     // elements are char
    bool is_bytes = false;    // elements are char, u8 or s8
    bool is_long = false;     // perf prints it in hexadecimal
    bool is_pointer = false;  // the same
    enum class Where : std::uint8_t { here, data_loc, rel_loc } where = Where::here;
};

// TraceRecord is the data of a sample, and what else the recording says of addresses in it.
struct TraceRecord {
    Bytes raw;
    AnyOrder order;
    std::uint8_t long_size = 8;             // of the recorded kernel
    const TraceStrings* strings = nullptr;  // null: none
    TraceNames* names = nullptr;            // null: none
};

// field_bytes(field, record) returns its content, wherever in the record it is; cut at the end of the record.
Bytes field_bytes(const TraceField& field, const TraceRecord& record);
// field_number(field, record, index) returns 0 if the record has no such element.
std::uint64_t field_number(const TraceField& field, const TraceRecord& record, std::uint64_t index);

// TracePlace is data in the record to which an expression points: an array, or what "&" was taken of.
struct TracePlace {
    Bytes bytes;
    std::uint32_t element = 0;  // bytes of an element; 0: unknown
    bool is_signed = false;
    std::uint32_t columns = 0;  // as in TraceField
    bool is_scalar = false;     // one number, not an array
    bool is_dynamic = false;    // its size is in the record, not in the format
};

// TraceRoom bounds the parts of parsed formats: nodes and names of expressions, and directives. Each may take a hundred
// bytes of memory for two of the file.
struct TraceRoom {
    static constexpr std::size_t most_in_format = 8192;        // Linux has at most a few hundred
    static constexpr std::size_t most = std::size_t{1} << 18;  // of all formats of a recording

    std::size_t left = most_in_format;
    bool is_full = false;  // a part found no room

    // refuse() notes that a part is beyond another limit: of arguments, or of parts of one of them.
    void refuse() { is_full = true; }
    // take() returns false, and notes it, if there is no room for a part.
    bool take() {
        is_full = is_full || left == 0;
        if (left != 0) --left;
        return !is_full;
    }
};

class TraceWriter;
struct TraceDirective;

// TraceExpression is one parsed expression; if any part is not understood, the whole format is shown as a list of
// fields. No recording can make it recurse deeply or read beyond the record.
class TraceExpression {
  public:
    // parse(text, fields, ...) parses the arguments after the format's string, separated by commas. Nothing if there is
    // no room either.
    static std::optional<std::vector<TraceExpression>> parse(std::string_view text,
                                                             const std::vector<TraceField>& fields,
                                                             std::uint8_t long_size, TraceRoom& room);

    // number(fields, record) is what "%d" and its like print; 0 for texts.
    TraceNumber number(const std::vector<TraceField>& fields, const TraceRecord& record) const {
        return number(root_, {fields, record});
    }
    // program() computes what number() does without fields; null if it takes them.
    const TraceProgram* program() const {
        const auto program = nodes_[root_].program;
        return program == none ? nullptr : &programs_[program];
    }
    // place(fields, record) is what "%pI4" and its like print; nothing if the expression is a number or a text.
    std::optional<TracePlace> place(const std::vector<TraceField>& fields, const TraceRecord& record) const {
        return place(root_, {fields, record});
    }
    // append_text(writer, directive, ...) prints for "%s".
    void append_text(TraceWriter& writer, const TraceDirective& directive, const std::vector<TraceField>& fields,
                     const TraceRecord& record) const {
        append_text(root_, writer, directive, {fields, record});
    }
    // uses(name, fields) returns true if it looks at the field of that name.
    bool uses(std::string_view name, const std::vector<TraceField>& fields) const;
    // uses_others(name, fields) returns true if it looks at a field of another name.
    bool uses_others(std::string_view name, const std::vector<TraceField>& fields) const;
    // steps() is how many parts these members look at, at most.
    std::size_t steps() const { return steps_; }

  private:
    friend class TraceParser;
    enum class Kind : std::uint8_t {
        number,
        text,
        unknown,      // a name without a value in the recording: 0, or for "%s" the name itself
        field,        // `field`; an array if it is one
        index,        // operand 0 is a place, operand 1 the index
        address,      // "&" of operand 0
        unary,        // sign
        binary,       // sign
        conditional,  // three operands
        cast,         // to `type`; of unknown size: leaves the number as it is
        field_text,   // __get_str
        field_size,   // __get_dynamic_array_len
        bitmask,      // __get_bitmask: hexadecimal
        cpumask,      // __get_cpumask: a list of ranges
        flags,        // __print_flags: names of all bits
        symbolic,     // __print_symbolic: the name of the value
        hex,          // __print_hex: place, length
        hex_joined,   // __print_hex_str: the same, without blanks
        hex_dump,     // __print_hex_dump: prefix type, row, group, place, length, ascii; op: prefix
        array,        // __print_array: place, count, bytes of an element
        whole_array,  // __print_dynamic_array: place, bytes of an element
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Name {
        std::uint64_t value = 0;
        std::string text;
    };
    // Operands is the numbers of up to six nodes, without memory of its own.
    class Operands {
      public:
        Operands(std::initializer_list<std::size_t> nodes) {
            for (const auto node : nodes) push_back(node);
        }
        void push_back(std::size_t node) { nodes_[size_++] = static_cast<std::uint16_t>(node); }
        std::size_t size() const { return size_; }
        std::size_t operator[](std::size_t index) const { return nodes_[index]; }
        std::size_t back() const { return nodes_[size_ - 1u]; }

      private:
        std::array<std::uint16_t, 6> nodes_{};
        std::uint16_t size_ = 0;
    };
    struct Node {
        Kind kind = Kind::number;
        TraceType type{};
        TraceOperator sign = TraceOperator::keep;
        std::uint32_t field = 0;
        std::uint32_t program = none;  // in programs_; none: its number is computed by the tree
        std::string op{};              // delimiter of flags; text
        TraceNumber value{};
        Operands operands{};
        std::vector<Name> names{};
    };
    struct Context {
        const std::vector<TraceField>& fields;
        const TraceRecord& record;
    };

    // compile(fields) makes programs for the largest parts that are numbers of constants and fields at fixed places.
    // All nodes together have at most one operation each.
    void compile(const std::vector<TraceField>& fields);
    // A number of the record at a fixed place: the node is a field or an element of one.
    struct FixedPlace {
        std::uint64_t offset = 0;
        std::uint32_t bytes = 0;
        bool is_signed = false;
    };
    std::optional<FixedPlace> fixed_place(const Node& node, const std::vector<TraceField>& fields) const;
    void add_to(TraceProgram& program, std::size_t at, const std::vector<TraceField>& fields) const;

    TraceNumber number(std::size_t at, const Context& context) const {
        const auto program = nodes_[at].program;
        if (program != none) return programs_[program].run(context.record.raw, context.record.order);
        return number_of_tree(at, context);
    }
    TraceNumber number_of_tree(std::size_t at, const Context& context) const;
    std::optional<TracePlace> place(std::size_t at, const Context& context) const;
    void append_text(std::size_t at, TraceWriter& writer, const TraceDirective& directive,
                     const Context& context) const;
    void append_field(const Node& node, TraceWriter& writer, const TraceDirective& directive,
                      const Context& context) const;
    void append_flags(const Node& node, TraceWriter& writer, const TraceDirective& directive,
                      const Context& context) const;
    void append_symbolic(const Node& node, TraceWriter& writer, const TraceDirective& directive,
                         const Context& context) const;
    void append_hex(const Node& node, TraceWriter& writer, const Context& context) const;
    void append_hex_dump(const Node& node, TraceWriter& writer, const Context& context) const;
    void append_array(const Node& node, TraceWriter& writer, const Context& context) const;
    std::uint64_t unsigned_number(std::size_t at, const Context& context) const;
    // field_of(node, fields) returns the field that this node looks at; null: none.
    static const TraceField* field_of(const Node& node, const std::vector<TraceField>& fields);

    std::vector<Node> nodes_;  // operands come before what uses them
    std::vector<TraceProgram> programs_;
    std::size_t root_ = 0, steps_ = 0;
};

// unescaped("a\\n") returns the value of the inside of a C string.
std::string unescaped(std::string_view text);

}  // namespace perfdata
