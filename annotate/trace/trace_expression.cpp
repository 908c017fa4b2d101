// SPDX-License-Identifier: MIT
// Numbers and places; texts are in trace_expression_text.cpp.
#include "trace_expression.hpp"

#include <algorithm>

namespace perfdata {
namespace {

std::optional<std::uint64_t> loaded(const std::byte* at, std::size_t size, AnyOrder order) {
    switch (size) {
        case 1: return order.load<std::uint8_t>(at);
        case 2: return order.load<std::uint16_t>(at);
        case 4: return order.load<std::uint32_t>(at);
        case 8: return order.load<std::uint64_t>(at);
        default: return {};
    }
}

// size_of_number(field) returns the bytes of a number, or of an element of an array.
std::uint32_t size_of_number(const TraceField& field) {
    return field.element != 0 ? field.element : field.count > 1 ? field.size / field.count : field.size;
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
    return element({.bytes = bytes, .element = size_of_number(field), .is_signed = field.is_signed}, index,
                   record.order)
        .bits;
}

std::uint64_t TraceExpression::unsigned_number(std::size_t at, const Context& context) const {
    // A negative number of four bytes is shown with eight hexadecimal digits.
    const auto& node = nodes_[at];
    const auto bits = number(at, context).bits;
    if (node.kind == Kind::cast) return narrowed(bits, node.type.bytes, false);
    return node.kind == Kind::field ? narrowed(bits, context.fields[node.field].size, false) : bits;
}

std::optional<TraceExpression::FixedPlace> TraceExpression::fixed_place(const Node& node,
                                                                        const std::vector<TraceField>& fields) const {
    const bool is_element = node.kind == Kind::index;
    const auto& base = is_element ? nodes_[node.operands[0]] : node;
    if (base.kind != Kind::field) return {};
    const auto& field = fields[base.field];
    if (field.where != TraceField::Where::here) return {};
    if (!is_element) {
        const auto size = size_of_number(field);
        return FixedPlace{field.offset, size <= field.size ? size : 0, field.is_signed};
    }
    const auto& index = nodes_[node.operands[1]];
    // No element is beyond 64 KiB: what is larger is left to the tree.
    if (index.kind != Kind::number || index.value.bits > 0xffff) return {};
    const auto size = field.count == 0 ? field.size : field.element;
    const auto at = index.value.bits * (field.columns != 0 ? field.columns : 1) * size;
    if (at + size > field.size) return FixedPlace{0, 0, field.is_signed};
    return FixedPlace{field.offset + at, size, field.is_signed};
}

void TraceExpression::compile(const std::vector<TraceField>& fields) {
    std::vector<bool> is_flat(nodes_.size());
    const auto flat = [&](const Node& node) {
        switch (node.kind) {
            case Kind::number: return true;
            case Kind::field:
            case Kind::index: return fixed_place(node, fields).has_value();
            case Kind::unary:
            case Kind::binary:
            case Kind::conditional:
            case Kind::cast:
                for (std::size_t index = 0; index < node.operands.size(); ++index) {
                    if (!is_flat[node.operands[index]]) return false;
                }
                return true;
            default: return false;
        }
    };
    const auto add_program = [&](std::size_t at) {
        // A field is a place, too: nobody asks for its number then.
        if (!is_flat[at] || nodes_[at].program != none) return;
        TraceProgram program;
        add_to(program, at, fields);
        if (program.is_empty()) return;
        nodes_[at].program = static_cast<std::uint32_t>(programs_.size());
        programs_.push_back(std::move(program));
    };
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
        is_flat[at] = flat(nodes_[at]);
        if (is_flat[at]) continue;
        for (std::size_t index = 0; index < nodes_[at].operands.size(); ++index) {
            add_program(nodes_[at].operands[index]);
        }
    }
    add_program(root_);
    programs_.shrink_to_fit();
}

void TraceExpression::add_to(TraceProgram& program, std::size_t at, const std::vector<TraceField>& fields) const {
    const auto& node = nodes_[at];
    if (node.kind == Kind::number) {
        program.add_constant(node.value);
        return;
    }
    if (const auto found = fixed_place(node, fields)) {
        if (is_number_size(found->bytes)) {
            program.add_load(static_cast<std::uint32_t>(found->offset), static_cast<std::uint8_t>(found->bytes),
                             found->is_signed);
        } else {
            program.add_constant({0, found->is_signed});
        }
        return;
    }
    for (std::size_t index = 0; index < node.operands.size(); ++index) add_to(program, node.operands[index], fields);
    switch (node.kind) {
        case Kind::conditional: program.add_choice(); break;
        case Kind::cast:
            if (node.type.bytes != 0) program.add_narrowing(node.type.bytes, node.type.is_signed);
            break;
        default: program.add_operator(node.sign, node.operands.size());
    }
}

TraceNumber TraceExpression::number_of_tree(std::size_t at, const Context& context) const {
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
        case Kind::unary: return apply(node.sign, operand(0));
        case Kind::binary: return apply(node.sign, operand(0), operand(1));
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
            if (node.sign != TraceOperator::add) return {};
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
