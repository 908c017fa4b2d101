// SPDX-License-Identifier: MIT
#include "trace_writer.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "trace_number.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t most_width = 4096;

std::size_t width_of(const TraceDirective& directive) {
    return static_cast<std::size_t>(std::min(directive.width.value_or(0), most_width));
}

// Room for 64 bits in octal digits.
using DigitBuffer = std::array<char, 22>;

// digits_of(value, conversion, buffer) returns the digits for "%x", "%X", "%o" and all others, which are decimal. They
// lie in the buffer. fmt parses its format for each number and makes a text of it. Without it, with TraceProgram and
// with lines begun in room taken once, script of raw_syscalls takes 0.55 of the CPU time: all three were measured
// together.
std::string_view digits_of(std::uint64_t value, char conversion, DigitBuffer& buffer) {
    auto* const end = buffer.data() + buffer.size();
    auto* at = end;
    switch (conversion) {
        case 'x':
        case 'X': {
            const auto* const digits = conversion == 'x' ? "0123456789abcdef" : "0123456789ABCDEF";
            do {
                *--at = digits[value & 15];
                value >>= 4;
            } while (value != 0);
            break;
        }
        case 'o':
            do {
                *--at = static_cast<char>('0' + (value & 7));
                value >>= 3;
            } while (value != 0);
            break;
        default: {
            const fmt::format_int digits(value);
            at -= digits.size();
            std::copy_n(digits.data(), digits.size(), at);
        }
    }
    return {at, static_cast<std::size_t>(end - at)};
}

}  // namespace

void TraceWriter::zeros(std::size_t count) {
    const auto used = text_.size() - begin_;
    text_.append(used > most_ ? 0 : std::min(count, most_ + 1 - used), '0');
}

void TraceWriter::word(std::string_view text, const TraceDirective& directive) {
    seen_ += text.size();
    if (directive.precision && *directive.precision < text.size()) text = text.substr(0, *directive.precision);
    if (!directive.width) return append(text);
    const auto width = width_of(directive);
    const auto fill = text.size() < width ? width - text.size() : 0;
    if (!directive.left) text_.append(fill, ' ');
    append(text);
    if (directive.left) text_.append(fill, ' ');
}

void TraceWriter::number(std::uint64_t value, const TraceDirective& directive) {
    const bool is_signed = TraceWriter::is_signed(directive);
    value = narrowed(value, bytes_of(directive), is_signed);
    const bool negative = is_signed && static_cast<std::int64_t>(value) < 0;
    DigitBuffer buffer;
    const auto digits = digits_of(negative ? 0 - value : value, directive.conversion, buffer);
    if (!directive.width && !directive.precision && !directive.alternate && !directive.plus && !directive.space) {
        if (negative) append("-");
        return append(digits);
    }
    std::string_view sign = negative                       ? "-"
                            : is_signed && directive.plus  ? "+"
                            : is_signed && directive.space ? " "
                                                           : "";
    std::string_view base;
    if (directive.alternate && value != 0) {
        base = directive.conversion == 'x'   ? "0x"
               : directive.conversion == 'X' ? "0X"
               : directive.conversion == 'o' ? "0"
                                             : "";
    }
    const auto precision = static_cast<std::size_t>(std::min(directive.precision.value_or(1), most_width));
    auto more = digits.size() < precision ? precision - digits.size() : 0;
    const auto width = width_of(directive);
    auto size = sign.size() + base.size() + more + digits.size();
    if (directive.zeros && !directive.left && !directive.precision && size < width) {
        more += width - size;
        size = width;
    }
    const auto fill = size < width ? width - size : 0;
    if (!directive.left) text_.append(fill, ' ');
    append(sign);
    append(base);
    zeros(more);
    append(digits);
    if (directive.left) text_.append(fill, ' ');
}

void TraceWriter::hex(std::uint64_t value) {
    DigitBuffer buffer;
    text_ += "0x";
    text_ += digits_of(value, 'x', buffer);
}

void TraceWriter::pointer(std::uint64_t value) {
    if (value == 0) {
        text_ += "(nil)";
    } else {
        hex(value);
    }
}

}  // namespace perfdata
