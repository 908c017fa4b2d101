// SPDX-License-Identifier: MIT
#include "trace_parser.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace perfdata {
namespace {

bool is_trace_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Operator {
    std::string_view text;
    int precedence;  // higher binds tighter
    TraceOperator sign;
};
constexpr Operator operators[] = {{"||", 1, TraceOperator::logical_or},    {"&&", 2, TraceOperator::logical_and},
                                  {"==", 6, TraceOperator::equal},         {"!=", 6, TraceOperator::unequal},
                                  {"<=", 7, TraceOperator::less_or_equal}, {">=", 7, TraceOperator::greater_or_equal},
                                  {"<<", 8, TraceOperator::shift_left},    {">>", 8, TraceOperator::shift_right},
                                  {"|", 3, TraceOperator::bit_or},         {"^", 4, TraceOperator::bit_xor},
                                  {"&", 5, TraceOperator::bit_and},        {"<", 7, TraceOperator::less},
                                  {">", 7, TraceOperator::greater},        {"+", 9, TraceOperator::add},
                                  {"-", 9, TraceOperator::subtract},       {"*", 10, TraceOperator::multiply},
                                  {"/", 10, TraceOperator::divide},        {"%", 10, TraceOperator::rest}};

TraceOperator unary_operator(char sign) {
    switch (sign) {
        case '!': return TraceOperator::logical_not;
        case '~': return TraceOperator::complement;
        case '-': return TraceOperator::negate;
        default: return TraceOperator::keep;
    }
}

// KnownName is a constant that kernels leave in their formats by name.
struct KnownName {
    std::string_view name;
    std::uint64_t value;
};
constexpr KnownName known_names[] = {{"NULL", 0},
                                     {"false", 0},
                                     {"true", 1},
                                     {"HI_SOFTIRQ", 0},
                                     {"TIMER_SOFTIRQ", 1},
                                     {"NET_TX_SOFTIRQ", 2},
                                     {"NET_RX_SOFTIRQ", 3},
                                     {"BLOCK_SOFTIRQ", 4},
                                     {"IRQ_POLL_SOFTIRQ", 5},
                                     {"TASKLET_SOFTIRQ", 6},
                                     {"SCHED_SOFTIRQ", 7},
                                     {"HRTIMER_SOFTIRQ", 8},
                                     {"RCU_SOFTIRQ", 9},
                                     {"HRTIMER_NORESTART", 0},
                                     {"HRTIMER_RESTART", 1},
                                     {"DUMP_PREFIX_NONE", 0},
                                     {"DUMP_PREFIX_ADDRESS", 1},
                                     {"DUMP_PREFIX_OFFSET", 2}};

}  // namespace

std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            result += text[at];
            continue;
        }
        switch (text[++at]) {
            case 'n': result += '\n'; break;
            case 't': result += '\t'; break;
            case 'r': result += '\r'; break;
            default: result += text[at];
        }
    }
    return result;
}

std::optional<TraceExpression> TraceParser::next() {
    expression_ = {};
    const auto root = conditional();
    if (failed_) return {};
    expression_.root_ = root;
    expression_.nodes_.shrink_to_fit();
    expression_.compile(fields_);
    return std::move(expression_);
}

std::size_t TraceParser::add(Node node) {
    if (failed_) return give_up();
    if (expression_.nodes_.size() >= most_nodes) room_.refuse();
    if (!room_.take()) return give_up();
    expression_.steps_ += 1 + node.names.size() / 8;  // names are compared quickly
    expression_.nodes_.push_back(std::move(node));
    return expression_.nodes_.size() - 1;
}

std::string_view TraceParser::word() {
    skip_blanks();
    std::size_t size = 0;
    while (size < text_.size() && is_trace_word(text_[size])) ++size;
    const auto found = text_.substr(0, size);
    text_.remove_prefix(size);
    return found;
}

std::size_t TraceParser::conditional() {
    const Depth depth(*this);
    const auto condition = binary(0);
    if (failed_ || !take("?")) return condition;
    const auto yes = conditional();
    expect(":");
    if (failed_) return 0;
    const auto no = conditional();
    return add({.kind = Kind::conditional, .operands = {condition, yes, no}});
}

std::size_t TraceParser::binary(int least) {
    auto left = unary();
    while (!failed_) {
        skip_blanks();
        const auto* op =
            std::ranges::find_if(operators, [&](const Operator& known) { return text_.starts_with(known.text); });
        if (op == std::end(operators) || op->precedence <= least) return left;
        text_.remove_prefix(op->text.size());
        const auto right = binary(op->precedence);
        left = add({.kind = Kind::binary, .sign = op->sign, .operands = {left, right}});
    }
    return left;
}

std::size_t TraceParser::unary() {
    const Depth depth(*this);
    if (failed_) return 0;
    skip_blanks();
    if (text_.empty()) return give_up();
    const char first = text_.front();
    if (std::string_view("!~-+*&").find(first) == std::string_view::npos) return postfix(primary());
    text_.remove_prefix(1);
    const auto operand = unary();
    if (first == '&') return add({.kind = Kind::address, .operands = {operand}});
    if (first == '*') return add({.kind = Kind::index, .operands = {operand, add_number(0, true)}});
    return add({.kind = Kind::unary, .sign = unary_operator(first), .operands = {operand}});
}

std::size_t TraceParser::postfix(std::size_t operand) {
    while (!failed_ && take("[")) {
        const auto index = conditional();
        expect("]");
        operand = add({.kind = Kind::index, .operands = {operand, index}});
    }
    return operand;
}

std::size_t TraceParser::primary() {
    const char first = text_.front();
    if (first == '(') return parenthesis();
    if (first == '"') return add({.kind = Kind::text, .op = string()});
    if (first == '\'') return character();
    if (first >= '0' && first <= '9') return literal();
    return name();
}

std::size_t TraceParser::parenthesis() {
    text_.remove_prefix(1);
    if (const auto type = type_in_parenthesis()) {
        const auto operand = unary();
        return add({.kind = Kind::cast, .type = *type, .operands = {operand}});
    }
    const auto inside = conditional();
    expect(")");
    return inside;
}

// Parses "unsigned long)", or steps over nothing. Words that are no known type are one if an operand follows.
std::optional<TraceType> TraceParser::type_in_parenthesis() {
    constexpr std::size_t longest = 128;
    const auto end = text_.find(')');
    if (end == std::string_view::npos || end > longest) return {};
    const auto inside = text_.substr(0, end);
    const auto is_type_letter = [](char c) { return is_trace_word(c) || c == ' ' || c == '*'; };
    const auto first = inside.find_first_not_of(' ');
    if (first == std::string_view::npos || !std::ranges::all_of(inside, is_type_letter)) return {};
    if (inside[first] >= '0' && inside[first] <= '9') return {};
    auto type = trace_type(inside, long_size_);
    if (!type) {
        const auto next = text_.find_first_not_of(' ', end + 1);
        if (next == std::string_view::npos) return {};
        const char letter = text_[next];
        if (!is_trace_word(letter) && letter != '"' && letter != '(') return {};
        type = TraceType{};
        if (inside.find('*') != std::string_view::npos) type = {long_size_, false, true, 0, false};
    }
    text_.remove_prefix(end + 1);
    return type;
}

std::size_t TraceParser::literal() {
    int base = 10;
    if (text_.starts_with("0x") || text_.starts_with("0X")) {
        base = 16;
        text_.remove_prefix(2);
    } else if (text_.size() > 1 && text_[0] == '0') {
        base = 8;
    }
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), number, base);
    if (problem != std::errc{}) return give_up();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    bool is_signed = number <= 0x7fffffffffffffff;
    while (!text_.empty() && std::string_view("uUlL").find(text_.front()) != std::string_view::npos) {
        if (text_.front() == 'u' || text_.front() == 'U') is_signed = false;
        text_.remove_prefix(1);
    }
    return add_number(number, is_signed);
}

std::size_t TraceParser::character() {
    std::size_t end = 1;
    while (end < text_.size() && text_[end] != '\'') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return give_up();
    const auto inside = unescaped(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return add_number(inside.empty() ? 0 : static_cast<unsigned char>(inside[0]), true);
}

// string() parses consecutive literals as one.
std::string TraceParser::string() {
    std::string result;
    while (take("\"")) {
        std::size_t end = 0;
        while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        if (end >= text_.size()) {
            failed_ = true;
            return {};
        }
        result += unescaped(text_.substr(0, end));
        text_.remove_prefix(end + 1);
    }
    return result;
}

std::uint32_t TraceParser::field(std::string_view name) {
    const auto found = std::ranges::find(fields_, name, &TraceField::name);
    if (found != fields_.end()) return static_cast<std::uint32_t>(found - fields_.begin());
    failed_ = true;
    return 0;
}

std::size_t TraceParser::name() {
    const auto found = word();
    if (found.empty()) return give_up();
    if (found == "REC" && take("->")) return add({.kind = Kind::field, .field = field(word())});
    if (take("(")) return call(found);
    const auto* known = std::ranges::find(known_names, found, &KnownName::name);
    if (known != std::end(known_names)) return add_number(known->value, true);
    return add({.kind = Kind::unknown, .op = std::string(found)});
}

std::size_t TraceParser::call(std::string_view name) {
    const auto is = [&](std::string_view plain, std::string_view relative) {
        return name == plain || name == relative;
    };
    if (is("__get_str", "__get_rel_str")) return call_with_field(Kind::field_text);
    if (is("__get_dynamic_array_len", "__get_rel_dynamic_array_len")) return call_with_field(Kind::field_size);
    if (is("__get_dynamic_array", "__get_rel_dynamic_array")) return call_with_field(Kind::field);
    if (is("__get_sockaddr", "__get_rel_sockaddr") || name == "__get_sockaddr_rel") return call_with_field(Kind::field);
    if (is("__get_bitmask", "__get_rel_bitmask")) return call_with_field(Kind::bitmask);
    if (is("__get_cpumask", "__get_rel_cpumask")) return call_with_field(Kind::cpumask);
    if (name == "__print_flags" || name == "__print_flags_u64") return with_names(Kind::flags);
    if (name == "__print_symbolic" || name == "__print_symbolic_u64") return with_names(Kind::symbolic);
    if (name == "__print_hex") return call_with_operands(Kind::hex, 2);
    if (name == "__print_hex_str") return call_with_operands(Kind::hex_joined, 2);
    if (name == "__print_array") return call_with_operands(Kind::array, 3);
    if (is("__print_dynamic_array", "__print_dynarray")) {
        const auto array = add({.kind = Kind::field, .field = field(word())});
        expect(",");
        const auto size = failed_ ? 0 : conditional();
        expect(")");
        return add({.kind = Kind::whole_array, .operands = {array, size}});
    }
    if (name == "__print_hex_dump") return hex_dump();
    if (name == "__print_ns_to_secs") return time_of(TraceOperator::divide);
    if (name == "__print_ns_without_secs") return time_of(TraceOperator::rest);
    if (name == "__builtin_expect") return expected();
    if (name == "sizeof") return size_of();
    return give_up();
}

std::size_t TraceParser::call_with_field(Kind kind) {
    const auto number = field(word());
    expect(")");
    return add({.kind = kind, .field = number});
}

std::size_t TraceParser::call_with_operands(Kind kind, std::size_t count) {
    Node node{.kind = kind};
    for (std::size_t index = 0; index < count && !failed_; ++index) {
        if (index != 0) expect(",");
        node.operands.push_back(conditional());
    }
    expect(")");
    return add(std::move(node));
}

std::size_t TraceParser::size_of() {
    const auto before = text_;
    const auto end = std::min(text_.find(')'), text_.size());
    if (const auto type = trace_type(text_.substr(0, end), long_size_); type && type->bytes != 0) {
        text_.remove_prefix(end);
        expect(")");
        return add_number(type->bytes, false);
    }
    text_ = before;
    if (!take("REC->")) return give_up();
    const auto number = field(word());
    if (failed_) return 0;
    const bool element = take("[");
    if (element) {
        (void)conditional();
        expect("]");
    }
    expect(")");
    const auto& of = fields_[number];
    return add_number(element && of.element != 0 ? of.element : of.size, false);
}

// The kernel's names for the whole seconds of a time in nanoseconds, and for the rest.
std::size_t TraceParser::time_of(TraceOperator sign) {
    const auto time = conditional();
    expect(")");
    if (failed_) return 0;
    const auto second = add_number(1'000'000'000, false);
    return add({.kind = Kind::binary, .sign = sign, .operands = {time, second}});
}

// __builtin_expect(condition, likely) is the condition.
std::size_t TraceParser::expected() {
    const auto condition = conditional();
    expect(",");
    if (failed_) return 0;
    (void)conditional();
    expect(")");
    return condition;
}

std::size_t TraceParser::hex_dump() {
    Node node{.kind = Kind::hex_dump};
    skip_blanks();
    node.op = string();
    for (int more = 0; more < 6 && !failed_; ++more) {
        expect(",");
        node.operands.push_back(conditional());
    }
    expect(")");
    return add(std::move(node));
}

std::size_t TraceParser::with_names(Kind kind) {
    Node node{.kind = kind};
    node.operands.push_back(conditional());
    expect(",");
    if (kind == Kind::flags && !failed_) {
        node.op = string();
        expect(",");
    }
    names(node);
    expect(")");
    return add(std::move(node));
}

// Parses `{ 0x01, "S" }, { 0x02, "D" }`. The values are constants: their nodes are dropped. A value that is a name
// without a value in the recording never fits.
void TraceParser::names(Node& node) {
    do {
        if (failed_) return;
        const auto nodes = expression_.nodes_.size();
        const auto steps = expression_.steps_;
        const auto left = room_.left;
        expect("{");
        const auto value = conditional();
        expect(",");
        if (node.names.size() >= most_names) room_.refuse();
        if (failed_ || room_.is_full) {
            failed_ = true;
            return;
        }
        const bool known = expression_.nodes_[value].kind != Kind::unknown;
        const auto bits = expression_.number(value, {fields_, {}}).bits;
        skip_blanks();
        const bool named = text_.starts_with('"');
        auto text = string();
        // "((void *)0)" ends the kernel's list, and has no name.
        if (!named) (void)conditional();
        expression_.nodes_.resize(nodes);
        expression_.steps_ = steps;
        expect("}");
        if (failed_) return;
        room_.left = left;
        if (!known || !named) continue;
        if (!room_.take()) {
            failed_ = true;
            return;
        }
        node.names.push_back({bits, std::move(text)});
    } while (take(","));
    node.names.shrink_to_fit();
}

std::optional<std::vector<TraceExpression>> TraceExpression::parse(std::string_view text,
                                                                   const std::vector<TraceField>& fields,
                                                                   std::uint8_t long_size, TraceRoom& room) {
    constexpr std::size_t most_arguments = 256;
    std::vector<TraceExpression> arguments;
    TraceParser parser(text, fields, long_size, room);
    while (!parser.at_end()) {
        if (!parser.take(",")) return {};
        if (arguments.size() >= most_arguments) {
            room.refuse();
            return {};
        }
        auto argument = parser.next();
        if (!argument) return {};
        arguments.push_back(std::move(*argument));
    }
    return arguments;
}

}  // namespace perfdata
