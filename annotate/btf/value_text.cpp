// SPDX-License-Identifier: MIT
#include "value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "format/words.hpp"

namespace perfdata {
namespace {

// digits_of(value, single) returns as many digits as tell the number from others of its type.
std::string digits_of(double value, bool single) {
    std::array<char, 32> digits;
    auto* const begin = digits.data();
    auto* const end = begin + digits.size();
    const auto done = single ? std::to_chars(begin, end, static_cast<float>(value)) : std::to_chars(begin, end, value);
    return {begin, done.ptr};
}

std::string_view not_finite(double value) {
    if (std::isnan(value)) return "nan";
    return value < 0 ? "-inf" : "inf";
}

}  // namespace

std::string decimal(const WideNumber& number) {
    constexpr std::uint64_t base = 10;
    auto high = number.high, low = number.low;
    const bool negative = number.is_signed && high >> 63 != 0;
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0 ? 1 : 0);
    }
    std::array<std::uint32_t, 4> words = {static_cast<std::uint32_t>(high >> 32), static_cast<std::uint32_t>(high),
                                          static_cast<std::uint32_t>(low >> 32), static_cast<std::uint32_t>(low)};
    std::string text;
    while (std::ranges::any_of(words, [](std::uint32_t word) { return word != 0; })) {
        std::uint64_t rest = 0;
        for (auto& word : words) {
            rest = rest << 32 | word;
            word = static_cast<std::uint32_t>(rest / base);
            rest %= base;
        }
        text += static_cast<char>('0' + rest);
    }
    if (text.empty()) text = "0";
    if (negative) text += '-';
    std::ranges::reverse(text);
    return text;
}

void ValueText::separate() {
    if (!first_ && !in_member_) text_ += ", ";
    first_ = in_member_ = false;
}
void ValueText::put(std::string_view word) {
    separate();
    text_ += word;
}

void ValueText::begin_record(bool is_union, bool) {
    put(is_union ? "union {" : "{");
    first_ = true;
}
void ValueText::member(std::string_view name) {
    separate();
    text_ += '.';
    text_ += printable(name);
    text_ += " = ";
    in_member_ = true;
}
void ValueText::end_record(bool) {
    text_ += '}';
    first_ = in_member_ = false;
}
void ValueText::begin_array() {
    put("{");
    first_ = true;
}
void ValueText::end_array() {
    text_ += '}';
    first_ = in_member_ = false;
}

void ValueText::number(std::uint64_t value) {
    put(fmt::format_int(value).str());
}
void ValueText::negative(std::int64_t value) {
    put(fmt::format_int(value).str());
}
void ValueText::wide(const WideNumber& value) {
    put(decimal(value));
}
void ValueText::truth(bool value) {
    put(value ? "true" : "false");
}
void ValueText::character(char value, bool) {
    quoted('\'', {&value, 1});
}
void ValueText::characters(std::string_view value) {
    quoted('"', value);
}
void ValueText::pointer(std::uint64_t value) {
    put(hex(Address{value}));
}
void ValueText::real(double value, bool single) {
    put(std::isfinite(value) ? digits_of(value, single) : std::string(not_finite(value)));
}
void ValueText::enumerator(std::string_view name) {
    put(printable(name));
}
void ValueText::bytes(Bytes value) {
    put("0x" + hex_bytes(value));
}
void ValueText::unknown() {
    put("?");
}
void ValueText::left_out() {
    put("…");
}

void ValueText::quoted(char quote, std::string_view value) {
    std::string escaped(1, quote);
    for (const char character : value) {
        switch (character) {
            case '\n': escaped += "\\n"; break;
            case '\r': escaped += "\\r"; break;
            case '\t': escaped += "\\t"; break;
            case '\0': escaped += "\\0"; break;
            default:
                if (character == quote || character == '\\') escaped += '\\';
                escaped += character;
        }
    }
    escaped += quote;
    put(printable(escaped));
}

void ValueJson::begin_record(bool, bool unnamed) {
    if (!unnamed) writer_.StartObject();
}
void ValueJson::member(std::string_view name) {
    writer_.text(name);
}
void ValueJson::end_record(bool unnamed) {
    if (!unnamed) writer_.EndObject();
}
void ValueJson::begin_array() {
    writer_.StartArray();
}
void ValueJson::end_array() {
    writer_.EndArray();
}
void ValueJson::number(std::uint64_t value) {
    writer_.Uint64(value);
}
void ValueJson::negative(std::int64_t value) {
    writer_.Int64(value);
}
void ValueJson::wide(const WideNumber& value) {
    writer_.text(decimal(value));
}
void ValueJson::truth(bool value) {
    writer_.Bool(value);
}
void ValueJson::character(char value, bool is_signed) {
    writer_.Int(is_signed ? int{static_cast<signed char>(value)} : int{static_cast<unsigned char>(value)});
}
void ValueJson::characters(std::string_view value) {
    writer_.text(value);
}
void ValueJson::pointer(std::uint64_t value) {
    writer_.text(hex(Address{value}));
}
void ValueJson::real(double value, bool single) {
    if (!std::isfinite(value)) return writer_.text(not_finite(value));
    const auto digits = digits_of(value, single);
    writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}
void ValueJson::enumerator(std::string_view name) {
    writer_.text(name);
}
void ValueJson::bytes(Bytes value) {
    writer_.hex(value);
}
void ValueJson::unknown() {
    writer_.Null();
}
void ValueJson::left_out() {}

}  // namespace perfdata
