// SPDX-License-Identifier: MIT
// Numbers and places; texts are in trace_expression_text.cpp.
#include "trace_expression.hpp"

#include <algorithm>

namespace perfdata {
namespace {

std::uint64_t narrowed(std::uint64_t number, std::uint64_t bytes, bool is_signed) {
    switch (bytes) {
        case 1: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int8_t>(number)) : number & 0xff;
        case 2: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int16_t>(number)) : number & 0xffff;
        case 4: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int32_t>(number)) : number & 0xffffffff;
        default: return number;
    }
}

std::uint64_t divided(TraceNumber left, TraceNumber right, bool rest) {
    if (right.bits == 0) return 0;
    if (!left.is_signed || !right.is_signed) return rest ? left.bits % right.bits : left.bits / right.bits;
    // The quotient of the lowest number and -1 has no place in 64 bits.
    if (right.bits == ~std::uint64_t{0}) return rest ? 0 : 0 - left.bits;
    const auto a = static_cast<std::int64_t>(left.bits);
    const auto b = static_cast<std::int64_t>(right.bits);
    return static_cast<std::uint64_t>(rest ? a % b : a / b);
}

std::uint64_t shifted_right(TraceNumber left, std::uint64_t by) {
    const bool fill = left.is_signed && static_cast<std::int64_t>(left.bits) < 0;
    if (by >= 64) return fill ? ~std::uint64_t{0} : 0;
    return fill ? static_cast<std::uint64_t>(static_cast<std::int64_t>(left.bits) >> by) : left.bits >> by;
}

TraceNumber truth(bool value) {
    return {value ? 1u : 0u, true};
}

// All is done in 64 bits, as perf does.
TraceNumber apply(std::string_view op, TraceNumber left, TraceNumber right) {
    const bool is_signed = left.is_signed && right.is_signed;
    const auto a = left.bits, b = right.bits;
    const auto less = [is_signed](std::uint64_t first, std::uint64_t second) {
        return is_signed ? static_cast<std::int64_t>(first) < static_cast<std::int64_t>(second) : first < second;
    };
    if (op == "||") return truth(a != 0 || b != 0);
    if (op == "&&") return truth(a != 0 && b != 0);
    if (op == "==") return truth(a == b);
    if (op == "!=") return truth(a != b);
    if (op == "<=") return truth(!less(b, a));
    if (op == ">=") return truth(!less(a, b));
    if (op == "<") return truth(less(a, b));
    if (op == ">") return truth(less(b, a));
    if (op == "<<") return {b < 64 ? a << b : 0, left.is_signed};
    if (op == ">>") return {shifted_right(left, b), left.is_signed};
    if (op == "|") return {a | b, is_signed};
    if (op == "^") return {a ^ b, is_signed};
    if (op == "&") return {a & b, is_signed};
    if (op == "+") return {a + b, is_signed};
    if (op == "-") return {a - b, is_signed};
    if (op == "*") return {a * b, is_signed};
    return {divided(left, right, op == "%"), is_signed};
}

std::optional<std::uint64_t> loaded(const std::byte* at, std::size_t size, AnyOrder order) {
    switch (size) {
        case 1: return order.load<std::uint8_t>(at);
        case 2: return order.load<std::uint16_t>(at);
        case 4: return order.load<std::uint32_t>(at);
        case 8: return order.load<std::uint64_t>(at);
        default: return {};
    }
}

// element(place, index, order) returns 0 if the place has no such element.
TraceNumber element(const TracePlace& place, std::uint64_t index, AnyOrder order) {
    const std::size_t size = place.element;
    if (size == 0 || index >= place.bytes.size() / size) return {0, place.is_signed};
    const auto number = loaded(place.bytes.data() + index * size, size, order);
    return {narrowed(number.value_or(0), size, place.is_signed), place.is_signed};
}

}  // namespace

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
    const auto size = field.element != 0 ? field.element : field.count > 1 ? field.size / field.count : field.size;
    return element({.bytes = bytes, .element = size, .is_signed = field.is_signed}, index, record.order).bits;
}

std::uint64_t TraceExpression::unsigned_number(std::size_t at, const Context& context) const {
    // A negative number of four bytes is shown with eight hexadecimal digits.
    const auto& node = nodes_[at];
    const auto bits = number(at, context).bits;
    if (node.kind == Kind::cast) return narrowed(bits, node.type.bytes, false);
    return node.kind == Kind::field ? narrowed(bits, context.fields[node.field].size, false) : bits;
}

TraceNumber TraceExpression::number(std::size_t at, const Context& context) const {
    const auto& node = nodes_[at];
    const auto operand = [&](std::size_t index) { return number(node.operands[index], context); };
    switch (node.kind) {
        case Kind::number: return node.value;
        case Kind::field: {
            const auto& field = context.fields[node.field];
            return {field_number(field, context.record, 0), field.is_signed};
        }
        case Kind::index: {
            const auto base = place(node.operands[0], context);
            const auto index = operand(1).bits;
            return base ? element(*base, base->columns != 0 ? index * base->columns : index, context.record.order)
                        : TraceNumber{};
        }
        case Kind::field_size: return {field_bytes(context.fields[node.field], context.record).size(), true};
        case Kind::unary: {
            const auto value = operand(0);
            if (node.op == "!") return truth(value.bits == 0);
            return {node.op == "~" ? ~value.bits : node.op == "-" ? 0 - value.bits : value.bits, value.is_signed};
        }
        case Kind::binary: return apply(node.op, operand(0), operand(1));
        case Kind::conditional: return operand(operand(0).bits != 0 ? 1 : 2);
        case Kind::cast: {
            const auto value = operand(0);
            if (node.type.bytes == 0) return value;
            return {narrowed(value.bits, node.type.bytes, node.type.is_signed), node.type.is_signed};
        }
        default: return {};
    }
}

std::optional<TracePlace> TraceExpression::place(std::size_t at, const Context& context) const {
    const auto& node = nodes_[at];
    switch (node.kind) {
        case Kind::field: {
            const auto& field = context.fields[node.field];
            TracePlace found{.bytes = field_bytes(field, context.record),
                             .element = field.count == 0 ? field.size : field.element,
                             .is_signed = field.is_signed,
                             .columns = field.columns};
            found.is_scalar = field.count == 0;
            found.is_dynamic = field.where != TraceField::Where::here;
            return found;
        }
        case Kind::address: {
            auto found = place(node.operands[0], context);
            if (found) found->is_scalar = false;
            return found;
        }
        case Kind::cast: {
            auto found = place(node.operands[0], context);
            if (!found || !node.type.is_pointer) return {};
            // A number that becomes a pointer points outside of the record.
            if (found->is_scalar) return {};
            found->element = node.type.pointed;
            found->is_signed = node.type.points_signed;
            found->columns = 0;
            return found;
        }
        case Kind::index: {
            auto found = place(node.operands[0], context);
            if (!found || found->is_scalar) return {};
            const bool row = found->columns != 0;
            const std::uint64_t size = row ? std::uint64_t{found->element} * found->columns : found->element;
            const auto index = number(node.operands[1], context).bits;
            if (size == 0 || index >= found->bytes.size() / size) return {};
            found->bytes = found->bytes.subspan(static_cast<std::size_t>(index * size), static_cast<std::size_t>(size));
            found->columns = 0;
            found->is_scalar = !row;
            return found;
        }
        case Kind::binary: {
            if (node.op != "+") return {};
            auto found = place(node.operands[0], context);
            if (!found || found->is_scalar || found->element == 0) return {};
            const auto index = number(node.operands[1], context).bits;
            if (index > found->bytes.size() / found->element) return {};
            found->bytes = found->bytes.subspan(static_cast<std::size_t>(index * found->element));
            return found;
        }
        case Kind::conditional:
            return place(node.operands[number(node.operands[0], context).bits != 0 ? 1 : 2], context);
        default: return {};
    }
}

const TraceField* TraceExpression::field_of(const Node& node, const std::vector<TraceField>& fields) {
    switch (node.kind) {
        case Kind::field:
        case Kind::field_text:
        case Kind::field_size:
        case Kind::bitmask:
        case Kind::cpumask: return node.field < fields.size() ? &fields[node.field] : nullptr;
        default: return nullptr;
    }
}

bool TraceExpression::uses(std::string_view name, const std::vector<TraceField>& fields) const {
    return std::ranges::any_of(nodes_, [&](const Node& node) {
        const auto* const field = field_of(node, fields);
        return field != nullptr && field->name == name;
    });
}

bool TraceExpression::uses_others(std::string_view name, const std::vector<TraceField>& fields) const {
    return std::ranges::any_of(nodes_, [&](const Node& node) {
        const auto* const field = field_of(node, fields);
        return field != nullptr && field->name != name;
    });
}

}  // namespace perfdata
