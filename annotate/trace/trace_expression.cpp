// SPDX-License-Identifier: MIT
#include "trace_expression.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace perfdata {
namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// TypeName is a type allowed in a cast.
struct TypeName {
    std::string_view name;
    std::uint8_t bytes;
    bool is_signed;
};
constexpr TypeName type_names[] = {
    {"char", 1, true},      {"short", 2, true},     {"int", 4, true},        {"long", 8, true},
    {"unsigned", 4, false}, {"signed", 4, true},    {"bool", 1, false},      {"_Bool", 1, false},
    {"void", 8, false},     {"u8", 1, false},       {"u16", 2, false},       {"u32", 4, false},
    {"u64", 8, false},      {"s8", 1, true},        {"s16", 2, true},        {"s32", 4, true},
    {"s64", 8, true},       {"__u8", 1, false},     {"__u16", 2, false},     {"__u32", 4, false},
    {"__u64", 8, false},    {"__s8", 1, true},      {"__s16", 2, true},      {"__s32", 4, true},
    {"__s64", 8, true},     {"size_t", 8, false},   {"ssize_t", 8, true},    {"loff_t", 8, true},
    {"sector_t", 8, false}, {"pid_t", 4, true},     {"gfp_t", 4, false},     {"dev_t", 4, false},
    {"umode_t", 2, false},  {"uint", 4, false},     {"ulong", 8, false},     {"uint8_t", 1, false},
    {"uint16_t", 2, false}, {"uint32_t", 4, false}, {"uint64_t", 8, false},  {"const", 0, false},
    {"int64_t", 8, true},   {"int32_t", 4, true},   {"uintptr_t", 8, false}, {"blk_opf_t", 4, false},
};

struct Operator {
    std::string_view text;
    int precedence;  // higher binds tighter
};
constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                  {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                                  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

std::uint64_t apply(std::string_view op, std::uint64_t left, std::uint64_t right) {
    const auto a = static_cast<std::int64_t>(left);
    const auto b = static_cast<std::int64_t>(right);
    if (op == "||") return left != 0 || right != 0 ? 1 : 0;
    if (op == "&&") return left != 0 && right != 0 ? 1 : 0;
    if (op == "==") return left == right ? 1 : 0;
    if (op == "!=") return left != right ? 1 : 0;
    if (op == "<=") return a <= b ? 1 : 0;
    if (op == ">=") return a >= b ? 1 : 0;
    if (op == "<") return a < b ? 1 : 0;
    if (op == ">") return a > b ? 1 : 0;
    if (op == "<<") return right < 64 ? left << right : 0;
    if (op == ">>") return right < 64 ? left >> right : 0;
    if (op == "|") return left | right;
    if (op == "^") return left ^ right;
    if (op == "&") return left & right;
    if (op == "+") return left + right;
    if (op == "-") return left - right;
    if (op == "*") return left * right;
    if (right == 0) return 0;
    return op == "/" ? left / right : left % right;
}

std::uint64_t narrowed(std::uint64_t number, std::uint64_t bytes, bool is_signed) {
    switch (bytes) {
        case 1: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int8_t>(number)) : number & 0xff;
        case 2: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int16_t>(number)) : number & 0xffff;
        case 4: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int32_t>(number)) : number & 0xffffffff;
        default: return number;
    }
}

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
            default: result += text[at];
        }
    }
    return result;
}

Bytes field_bytes(const TraceField& field, const TraceRecord& record) {
    const auto part = [&](std::uint64_t offset, std::uint64_t size) -> Bytes {
        if (offset >= record.raw.size()) return {};
        return record.raw.subspan(static_cast<std::size_t>(offset),
                                  static_cast<std::size_t>(std::min<std::uint64_t>(size, record.raw.size() - offset)));
    };
    const auto here = part(field.offset, field.size);
    if (field.where == TraceField::Where::here) return here;
    if (here.size() < sizeof(std::uint32_t)) return {};
    const auto place = record.order.load<std::uint32_t>(here.data());
    const std::uint64_t base =
        field.where == TraceField::Where::rel_loc ? std::uint64_t{field.offset} + sizeof(std::uint32_t) : 0;
    return part(base + (place & 0xffff), place >> 16);
}

std::uint64_t field_number(const TraceField& field, const TraceRecord& record, std::uint64_t index) {
    const auto bytes = field_bytes(field, record);
    const std::size_t size = field.count > 1 ? field.size / field.count : field.size;
    if (size == 0 || index >= bytes.size() / size) return 0;
    const auto* at = bytes.data() + index * size;
    std::uint64_t number = 0;
    switch (size) {
        case 1: number = record.order.load<std::uint8_t>(at); break;
        case 2: number = record.order.load<std::uint16_t>(at); break;
        case 4: number = record.order.load<std::uint32_t>(at); break;
        case 8: number = record.order.load<std::uint64_t>(at); break;
        default: return 0;
    }
    return narrowed(number, size, field.is_signed);
}

// Recursive descent; the depth and the number of nodes are bounded.
class TraceParser {
  public:
    TraceParser(std::string_view text, const std::vector<TraceField>& fields) : text_(text), fields_(fields) {}

    std::optional<TraceExpression> next() {
        expression_ = {};
        const auto root = conditional();
        if (failed_) return {};
        expression_.root_ = root;
        return std::move(expression_);
    }
    bool at_end() {
        skip_blanks();
        return text_.empty();
    }
    bool take(std::string_view word) {
        skip_blanks();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }

  private:
    using Kind = TraceExpression::Kind;
    using Node = TraceExpression::Node;
    static constexpr std::size_t most_nodes = 2048;
    static constexpr unsigned most_deep = 100;

    struct Depth {
        explicit Depth(TraceParser& of) : parser(of) {
            if (++parser.depth_ > most_deep) parser.failed_ = true;
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
    std::size_t add(Node node) {
        if (expression_.nodes_.size() >= most_nodes) return give_up();
        expression_.steps_ += 1 + node.names.size() / 8;  // names are compared quickly
        expression_.nodes_.push_back(std::move(node));
        return expression_.nodes_.size() - 1;
    }
    void expect(std::string_view word) {
        if (!take(word)) failed_ = true;
    }
    std::string_view word() {
        skip_blanks();
        std::size_t size = 0;
        while (size < text_.size() && is_word(text_[size])) ++size;
        const auto found = text_.substr(0, size);
        text_.remove_prefix(size);
        return found;
    }

    std::size_t conditional() {
        const Depth depth(*this);
        const auto condition = binary(0);
        if (failed_ || !take("?")) return condition;
        const auto yes = conditional();
        expect(":");
        if (failed_) return 0;
        const auto no = conditional();
        return add({.kind = Kind::conditional, .operands = {condition, yes, no}});
    }

    std::size_t binary(int least) {
        auto left = unary();
        while (!failed_) {
            skip_blanks();
            const auto* op = std::ranges::find_if(
                operators, [&](const Operator& candidate) { return text_.starts_with(candidate.text); });
            if (op == std::end(operators) || op->precedence <= least) return left;
            text_.remove_prefix(op->text.size());
            const auto right = binary(op->precedence);
            left = add({.kind = Kind::binary, .op = std::string(op->text), .operands = {left, right}});
        }
        return left;
    }

    std::size_t unary() {
        const Depth depth(*this);
        if (failed_) return 0;
        skip_blanks();
        if (text_.empty()) return give_up();
        const char first = text_.front();
        if (first == '!' || first == '~' || first == '-' || first == '+') {
            text_.remove_prefix(1);
            const auto operand = unary();
            return add({.kind = Kind::unary, .op = std::string(1, first), .operands = {operand}});
        }
        if (first == '(') return parenthesis();
        if (first == '"') return add({.kind = Kind::text, .op = string()});
        if (first >= '0' && first <= '9') {
            const auto number = literal();
            return add({.kind = Kind::number, .number = number});
        }
        return call_or_field();
    }

    std::size_t parenthesis() {
        text_.remove_prefix(1);
        if (const auto type = cast()) {
            const auto operand = unary();
            return add({.kind = Kind::cast, .flag = type->is_signed, .number = type->bytes, .operands = {operand}});
        }
        const auto inside = conditional();
        expect(")");
        return inside;
    }

    // cast() parses "unsigned long)", or returns nothing.
    std::optional<TypeName> cast() {
        const auto before = text_;
        TypeName type{"", 0, true};
        bool is_type = false;
        bool is_unsigned = false;
        for (;;) {
            const auto name = word();
            const bool is_tag = name == "struct" || name == "enum" || name == "union";
            if (is_tag) (void)word();
            const auto* found = std::ranges::find(type_names, name, &TypeName::name);
            if (!is_tag && found == std::end(type_names)) break;
            is_type = true;
            is_unsigned = is_unsigned || name == "unsigned";
            if (is_tag) type = {"", 4, true};
            if (!is_tag && found->bytes > 0 && (name != "int" || type.bytes == 0) && type.bytes != 8) type = *found;
        }
        while (is_type && take("*")) type = {"", 8, false};
        if (!is_type || !take(")")) {
            text_ = before;
            return {};
        }
        if (is_unsigned) type.is_signed = false;
        if (type.bytes == 0) type.bytes = 8;
        return type;
    }

    std::uint64_t literal() {
        int base = 10;
        if (text_.starts_with("0x") || text_.starts_with("0X")) {
            base = 16;
            text_.remove_prefix(2);
        } else if (text_.size() > 1 && text_[0] == '0') {
            base = 8;
        }
        std::uint64_t number = 0;
        const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), number, base);
        if (problem != std::errc{}) failed_ = true;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        while (!text_.empty() && std::string_view("uUlL").find(text_.front()) != std::string_view::npos) {
            text_.remove_prefix(1);
        }
        return number;
    }

    // string() parses consecutive literals as one.
    std::string string() {
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

    std::size_t field(std::string_view name) {
        const auto found = std::ranges::find(fields_, name, &TraceField::name);
        if (found == fields_.end()) return give_up();
        return static_cast<std::size_t>(found - fields_.begin());
    }

    std::size_t call_or_field() {
        const auto name = word();
        if (name == "REC" && take("->")) {
            Node node{.kind = Kind::field, .field = field(word())};
            if (take("[")) {
                node.operands.push_back(conditional());
                expect("]");
            }
            return add(std::move(node));
        }
        if (name.empty() || !take("(")) return give_up();
        Node node;
        if (name == "__get_str" || name == "__get_rel_str" || name == "__get_dynamic_array_len" ||
            name == "__get_rel_dynamic_array_len") {
            node.kind = name.ends_with("_len") ? Kind::field_size : Kind::field_text;
            node.field = field(word());
        } else if (name == "__print_flags" || name == "__print_symbolic") {
            node.kind = name == "__print_flags" ? Kind::flags : Kind::symbolic;
            node.operands.push_back(conditional());
            expect(",");
            if (node.kind == Kind::flags) {
                node.op = string();
                expect(",");
            }
            names(node);
        } else if (name == "__print_hex" || name == "__print_hex_str") {
            node.kind = Kind::bytes;
            node.flag = name == "__print_hex";
            if (take("REC->")) {
                node.field = field(word());
            } else {
                const auto getter = word();
                if (getter != "__get_dynamic_array" && getter != "__get_rel_dynamic_array") return give_up();
                expect("(");
                node.field = field(word());
                expect(")");
            }
            expect(",");
            node.operands.push_back(conditional());
        } else {
            return give_up();
        }
        expect(")");
        return add(std::move(node));
    }

    // names(node) parses "{ 0x01, "S" }, { 0x02, "D" }"; the values are constant expressions.
    void names(Node& node) {
        do {
            expect("{");
            const auto value = conditional();
            expect(",");
            auto text = string();
            expect("}");
            if (failed_ || node.names.size() >= most_nodes) {
                failed_ = true;
                return;
            }
            node.names.push_back({expression_.number(value, fields_, {}), std::move(text)});
        } while (take(","));
    }

    std::string_view text_;
    const std::vector<TraceField>& fields_;
    TraceExpression expression_;
    unsigned depth_ = 0;
    bool failed_ = false;
};

std::optional<std::vector<TraceExpression>> TraceExpression::parse(std::string_view text,
                                                                   const std::vector<TraceField>& fields) {
    constexpr std::size_t most_arguments = 256;
    std::vector<TraceExpression> arguments;
    TraceParser parser(text, fields);
    while (!parser.at_end()) {
        if (!parser.take(",") || arguments.size() >= most_arguments) return {};
        auto argument = parser.next();
        if (!argument) return {};
        arguments.push_back(std::move(*argument));
    }
    return arguments;
}

TraceValue TraceExpression::evaluate(std::size_t at, const std::vector<TraceField>& fields,
                                     const TraceRecord& record) const {
    const auto& node = nodes_[at];
    const auto as_string = [](std::string text) { return TraceValue{0, true, std::move(text)}; };
    const auto operand = [&](std::size_t index) { return number(node.operands[index], fields, record); };
    switch (node.kind) {
        case Kind::number: return {node.number, false, {}};
        case Kind::text: return as_string(node.op);
        case Kind::field: {
            const auto& field = fields[node.field];
            if (node.operands.empty() && field.is_text && field.count > 0) {
                return as_string(std::string(until_nul(field_bytes(field, record))));
            }
            return {field_number(field, record, node.operands.empty() ? 0 : operand(0)), false, {}};
        }
        case Kind::field_text: return as_string(std::string(until_nul(field_bytes(fields[node.field], record))));
        case Kind::field_size: return {field_bytes(fields[node.field], record).size(), false, {}};
        case Kind::unary: {
            const auto value = operand(0);
            if (node.op == "!") return {value == 0 ? 1u : 0u, false, {}};
            return {node.op == "~" ? ~value : node.op == "-" ? 0 - value : value, false, {}};
        }
        case Kind::binary: return {apply(node.op, operand(0), operand(1)), false, {}};
        case Kind::conditional: return evaluate(node.operands[operand(0) != 0 ? 1 : 2], fields, record);
        case Kind::cast: return {narrowed(operand(0), node.number, node.flag), false, {}};
        case Kind::flags: {
            auto rest = operand(0);
            std::string text;
            const auto append = [&](std::string_view word) {
                if (!text.empty()) text += node.op;
                text += word;
            };
            for (const auto& name : node.names) {
                if (rest == 0 && name.value == 0) {
                    append(name.text);
                    break;
                }
                if (name.value != 0 && (rest & name.value) == name.value) {
                    append(name.text);
                    rest &= ~name.value;
                }
            }
            if (rest != 0) append(fmt::format("{:#x}", rest));
            return as_string(std::move(text));
        }
        case Kind::symbolic: {
            const auto value = operand(0);
            const auto name = std::ranges::find(node.names, value, &Name::value);
            return as_string(name == node.names.end() ? fmt::format("{:#x}", value) : name->text);
        }
        case Kind::bytes: {
            const auto bytes = field_bytes(fields[node.field], record);
            std::string text;
            for (const auto byte :
                 bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(operand(0), bytes.size())))) {
                if (node.flag && !text.empty()) text += ' ';
                fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
            }
            return as_string(std::move(text));
        }
    }
    return {};
}

}  // namespace perfdata
