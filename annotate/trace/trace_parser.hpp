// SPDX-License-Identifier: MIT
// Recursive descent over the C expressions of a tracepoint's format; the depth and the number of nodes are bounded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace_expression.hpp"

namespace perfdata {

class TraceParser {
  public:
    // Fields and room must outlive it.
    TraceParser(std::string_view text, const std::vector<TraceField>& fields, std::uint8_t long_size, TraceRoom& room)
        : text_(text), fields_(fields), long_size_(long_size), room_(room) {}

    // next() parses one expression; nothing if it is not understood.
    std::optional<TraceExpression> next();
    bool at_end() {
        skip_blanks();
        return text_.empty();
    }
    // take(text) returns true, and steps over the text, if it comes next.
    bool take(std::string_view text) {
        skip_blanks();
        if (!text_.starts_with(text)) return false;
        text_.remove_prefix(text.size());
        return true;
    }

  private:
    using Kind = TraceExpression::Kind;
    using Node = TraceExpression::Node;
    static constexpr std::size_t most_nodes = 2048, most_names = 2048;
    static constexpr unsigned most_deep = 100;

    struct Depth {
        explicit Depth(TraceParser& of) : parser(of) {
            if (++parser.depth_ <= most_deep) return;
            parser.room_.refuse();
            parser.failed_ = true;
        }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ~Depth() { --parser.depth_; }
        TraceParser& parser;
    };

    void skip_blanks() {
        const auto first = text_.find_first_not_of(" \t\n\r");
        text_.remove_prefix(first == std::string_view::npos ? text_.size() : first);
    }
    std::size_t give_up() {
        failed_ = true;
        return 0;
    }
    std::size_t add(Node node);
    std::size_t add_number(std::uint64_t bits, bool is_signed) {
        return add({.kind = Kind::number, .value = {bits, is_signed}});
    }
    void expect(std::string_view text) {
        if (!take(text)) failed_ = true;
    }
    std::string_view word();

    std::size_t conditional();
    std::size_t binary(int least);
    std::size_t unary();
    std::size_t postfix(std::size_t operand);
    std::size_t primary();
    std::size_t parenthesis();
    std::optional<TraceType> type_in_parenthesis();
    std::size_t literal();
    std::size_t character();
    std::string string();
    std::uint32_t field(std::string_view name);
    std::size_t name();
    std::size_t call(std::string_view name);
    std::size_t call_with_field(Kind kind);
    std::size_t call_with_operands(Kind kind, std::size_t count);
    std::size_t size_of();
    std::size_t time_of(TraceOperator sign);
    std::size_t expected();
    std::size_t hex_dump();
    std::size_t with_names(Kind kind);
    void names(Node& node);

    std::string_view text_;
    const std::vector<TraceField>& fields_;
    std::uint8_t long_size_;
    TraceRoom& room_;
    TraceExpression expression_;
    unsigned depth_ = 0;
    bool failed_ = false;
};

}  // namespace perfdata
