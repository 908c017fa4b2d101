// SPDX-License-Identifier: MIT
#include "trace_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace perfdata {
namespace {

constexpr std::uint64_t most_width = 4096;

std::size_t width_of(const TraceDirective& directive) {
    return static_cast<std::size_t>(std::min(directive.width.value_or(0), most_width));
}

}  // namespace

void TraceWriter::padded(std::string_view text, const TraceDirective& directive) {
    const auto width = width_of(directive);
    const auto fill = text.size() < width ? width - text.size() : 0;
    if (!directive.left) text_.append(fill, ' ');
    append(text);
    if (directive.left) text_.append(fill, ' ');
}

void TraceWriter::word(std::string_view text, const TraceDirective& directive) {
    seen_ += text.size();
    if (directive.precision && *directive.precision < text.size()) text = text.substr(0, *directive.precision);
    padded(text, directive);
}

void TraceWriter::number(std::uint64_t value, const TraceDirective& directive) {
    const bool is_signed = directive.conversion == 'd' || directive.conversion == 'i';
    if (directive.halves > 1) {
        value = is_signed ? static_cast<std::uint64_t>(static_cast<std::int8_t>(value)) : value & 0xff;
    } else if (directive.halves == 1) {
        value = is_signed ? static_cast<std::uint64_t>(static_cast<std::int16_t>(value)) : value & 0xffff;
    } else if (directive.longs == 0) {
        value = is_signed ? static_cast<std::uint64_t>(static_cast<std::int32_t>(value)) : value & 0xffffffff;
    }
    const bool negative = is_signed && static_cast<std::int64_t>(value) < 0;
    std::string digits;
    switch (directive.conversion) {
        case 'x': digits = fmt::format("{:x}", value); break;
        case 'X': digits = fmt::format("{:X}", value); break;
        case 'o': digits = fmt::format("{:o}", value); break;
        default: digits = fmt::format("{}", negative ? 0 - value : value);
    }
    const auto precision = static_cast<std::size_t>(std::min(directive.precision.value_or(1), most_width));
    if (digits.size() < precision) digits.insert(0, precision - digits.size(), '0');
    std::string sign = negative ? "-" : is_signed && directive.plus ? "+" : is_signed && directive.space ? " " : "";
    if (directive.alternate && value != 0) {
        sign += directive.conversion == 'x'   ? "0x"
                : directive.conversion == 'X' ? "0X"
                : directive.conversion == 'o' ? "0"
                                              : "";
    }
    const auto width = width_of(directive);
    if (directive.zeros && !directive.left && !directive.precision && sign.size() + digits.size() < width) {
        digits.insert(0, width - sign.size() - digits.size(), '0');
    }
    padded(sign + digits, directive);
}

void TraceWriter::hex(std::uint64_t value) {
    fmt::format_to(std::back_inserter(text_), "{:#x}", value);
}

void TraceWriter::pointer(std::uint64_t value) {
    if (value == 0) {
        text_ += "(nil)";
    } else {
        hex(value);
    }
}

}  // namespace perfdata
