// SPDX-License-Identifier: MIT
// What expressions print for "%s". Follows print_str_arg of libtraceevent.
#include <algorithm>
#include <fmt/format.h>

#include "trace_expression.hpp"
#include "trace_masks.hpp"
#include "trace_types.hpp"
#include "trace_writer.hpp"

namespace perfdata {
namespace {

// A pointer is a string of the kernel, if the recording has it.
void append_string_at(TraceWriter& writer, std::uint64_t address, const TraceRecord& record) {
    const auto found = record.strings == nullptr ? std::nullopt : record.strings->find(address);
    writer.plain(found ? std::string(*found) : fmt::format("{:x}", address));
}

std::uint64_t number_at(Bytes bytes, std::size_t size, AnyOrder order) {
    switch (size) {
        case 1: return order.load<std::uint8_t>(bytes.data());
        case 2: return order.load<std::uint16_t>(bytes.data());
        case 4: return order.load<std::uint32_t>(bytes.data());
        default: return order.load<std::uint64_t>(bytes.data());
    }
}

}  // namespace

void TraceExpression::append_text(std::size_t at, TraceWriter& writer, const TraceDirective& directive,
                                  const Context& context) const {
    const auto& node = nodes_[at];
    const auto& record = context.record;
    switch (node.kind) {
        case Kind::number: writer.word(fmt::format("{}", node.value.bits), directive); break;
        case Kind::text:
        case Kind::unknown: writer.word(node.op, directive); break;
        case Kind::field: append_field(node, writer, directive, context); break;
        case Kind::conditional:
            append_text(node.operands[number(node.operands[0], context).bits != 0 ? 1 : 2], writer, directive, context);
            break;
        case Kind::field_text: {
            const auto bytes = field_bytes(context.fields[node.field], record);
            if (!bytes.empty()) writer.word(until_nul(bytes), directive);
            break;
        }
        case Kind::bitmask: {
            const auto bytes = field_bytes(context.fields[node.field], record);
            writer.word(mask_digits(bytes, record.order, record.long_size), directive);
            break;
        }
        case Kind::cpumask: {
            const auto bytes = field_bytes(context.fields[node.field], record);
            writer.looked_at(bytes.size());
            writer.word(mask_ranges(bytes, bytes.size() * 8, record.order, record.long_size), directive);
            break;
        }
        case Kind::flags: append_flags(node, writer, directive, context); break;
        case Kind::symbolic: append_symbolic(node, writer, directive, context); break;
        case Kind::hex:
        case Kind::hex_joined: append_hex(node, writer, context); break;
        case Kind::hex_dump: append_hex_dump(node, writer, context); break;
        case Kind::array:
        case Kind::whole_array: append_array(node, writer, context); break;
        default: {
            const auto found = place(at, context);
            if (found && !found->is_scalar) {
                writer.word(until_nul(found->bytes), directive);
            } else {
                append_string_at(writer, number(at, context).bits, record);
            }
        }
    }
}

void TraceExpression::append_field(const Node& node, TraceWriter& writer, const TraceDirective& directive,
                                   const Context& context) const {
    const auto& field = context.fields[node.field];
    if (field.count == 0 && field.size == context.record.long_size) {
        append_string_at(writer, field_number(field, context.record, 0), context.record);
        return;
    }
    writer.word(until_nul(field_bytes(field, context.record)), directive);
}

void TraceExpression::append_flags(const Node& node, TraceWriter& writer, const TraceDirective& directive,
                                   const Context& context) const {
    auto rest = unsigned_number(node.operands[0], context);
    bool first = true;
    for (const auto& name : node.names) {
        if (rest == 0 || writer.full()) break;
        if (name.value == 0 || (rest & name.value) != name.value) continue;
        if (!first) writer.plain(node.op);
        writer.word(name.text, directive);
        first = false;
        rest &= ~name.value;
    }
    if (rest == 0) return;
    if (!first) writer.plain(node.op);
    writer.hex(rest);
}

void TraceExpression::append_symbolic(const Node& node, TraceWriter& writer, const TraceDirective& directive,
                                      const Context& context) const {
    const auto value = number(node.operands[0], context).bits;
    const auto name = std::ranges::find(node.names, value, &Name::value);
    if (name != node.names.end()) {
        writer.word(name->text, directive);
    } else {
        writer.hex(unsigned_number(node.operands[0], context));
    }
}

void TraceExpression::append_hex(const Node& node, TraceWriter& writer, const Context& context) const {
    const auto found = place(node.operands[0], context);
    if (!found) return;
    const auto most = std::min<std::uint64_t>(number(node.operands[1], context).bits, found->bytes.size());
    writer.bytes(found->bytes.first(static_cast<std::size_t>(most)), node.kind == Kind::hex ? " " : "");
}

void TraceExpression::append_array(const Node& node, TraceWriter& writer, const Context& context) const {
    const auto found = place(node.operands[0], context);
    if (!found) return;
    auto size = number(node.operands.back(), context).bits;
    const bool known = is_number_size(size);
    if (!known) size = 1;
    auto count = found->bytes.size() / size;
    if (node.kind == Kind::array) count = std::min<std::uint64_t>(number(node.operands[1], context).bits, count);
    for (std::uint64_t index = 0; index < count && !writer.full(); ++index) {
        if (index != 0) writer.plain(" ");
        const auto value = number_at(found->bytes.subspan(static_cast<std::size_t>(index * size)),
                                     static_cast<std::size_t>(size), context.record.order);
        writer.plain(known ? fmt::format("{}", value) : fmt::format("BAD SIZE {:#x}", value));
    }
}

// As the kernel prints it: each row on a line of its own.
void TraceExpression::append_hex_dump(const Node& node, TraceWriter& writer, const Context& context) const {
    const auto operand = [&](std::size_t index) { return number(node.operands[index], context).bits; };
    const auto found = place(node.operands[3], context);
    if (!found) return;
    const std::size_t row = operand(1) == 32 ? 32 : 16;
    const std::size_t group = is_number_size(operand(2)) ? static_cast<std::size_t>(operand(2)) : 1;
    const bool offsets = operand(0) == 2, letters = operand(5) != 0;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(operand(4), found->bytes.size()));
    for (std::size_t at = 0; at < size && !writer.full(); at += row) {
        const auto line = found->bytes.subspan(at, std::min(row, size - at));
        std::string text = "\n" + node.op;
        if (offsets) text += fmt::format("{:08x}: ", at);
        const auto begin = text.size();
        const bool whole = line.size() % group == 0;
        for (std::size_t byte = 0; byte < line.size(); byte += whole ? group : 1) {
            if (byte != 0) text += ' ';
            const auto width = whole ? group : 1;
            text += fmt::format("{:0{}x}", number_at(line.subspan(byte), width, context.record.order), 2 * width);
        }
        if (letters) {
            const auto column = begin + 2 * row + row / group + 1;
            if (text.size() < column) text.append(column - text.size(), ' ');
            for (const auto byte : line) {
                const auto letter = static_cast<char>(byte);
                text += letter >= 0x20 && letter < 0x7f ? letter : '.';
            }
        }
        writer.plain(text);
    }
}

}  // namespace perfdata
