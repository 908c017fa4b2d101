// SPDX-License-Identifier: MIT
#include "words.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace perfdata {
namespace {

// utf8_length(text) is how many bytes the well-formed character at the start has, 0 if there is none. Overlong forms,
// surrogates and what lies beyond U+10FFFF are not well formed.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
    const auto lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t index = 1; index < length; ++index) {
        if ((byte(index) & 0xc0) != 0x80) return 0;
    }
    const auto second = byte(1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f)) {
        return 0;
    }
    return length;
}

// direction_mark(character) is whether it is one of U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, which show
// nothing and change where other text is shown.
bool direction_mark(std::string_view character) {
    if (character.size() != 3 || character[0] != '\xe2') return false;
    const auto second = static_cast<unsigned char>(character[1]);
    const auto third = static_cast<unsigned char>(character[2]);
    if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
    return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

// simple(text) is whether all of it is ASCII without control characters, as nearly all names are.
bool simple(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

template <class Keep, class Replace>
std::string rewrite(std::string_view text, Keep keep, Replace replace) {
    if (simple(text)) return std::string(text);
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto length = utf8_length(text);
        if (length != 0 && keep(text.substr(0, length))) {
            result += text.substr(0, length);
            text.remove_prefix(length);
        } else {
            result += replace(static_cast<unsigned char>(text.front()));
            text.remove_prefix(1);
        }
    }
    return result;
}

}  // namespace

std::string hex(Address address) {
    return fmt::format("0x{:x}", address.value);
}

std::string hex_bytes(Bytes bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const auto byte : bytes) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

std::string wall_clock(std::uint64_t nanoseconds) {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr std::uint64_t day = 86400;
    const auto whole = nanoseconds / second;
    const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(whole / day)));
    const auto of_day = whole % day;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 3600,
                       of_day / 60 % 60, of_day % 60, nanoseconds % second);
}

std::string seconds(Time time) {
    return fmt::format("{}.{:09}", time.nanoseconds / 1'000'000'000, time.nanoseconds % 1'000'000'000);
}

std::string printable(std::string_view text) {
    const auto visible = [](std::string_view character) {
        const auto first = static_cast<unsigned char>(character[0]);
        // U+0080 to U+009F are control characters too.
        const bool control =
            first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
        return (!control || character == "\t") && !direction_mark(character);
    };
    return rewrite(text, visible, [](unsigned char byte) { return fmt::format("\\x{:02x}", byte); });
}

std::string cut(std::string text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes != 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
    text.resize(bytes);
    return text;
}

std::string utf8(std::string_view text) {
    return rewrite(
        text, [](std::string_view) { return true; }, [](unsigned char) { return "\xef\xbf\xbd"; });
}

std::string_view kind_name(CodeClass kind) {
    return to_string(kind == CodeClass::module ? CodeClass::kernel : kind);
}

std::string_view kind_name(CodeKind kind) {
    return kind == CodeKind::out_of_line ? "out_of_line" : "bpf";
}

std::string program_type(std::uint32_t type) {
    const auto name = bpf_program_type_name(type);
    return name.empty() ? fmt::format("type {}", type) : std::string(name);
}

std::string object_name(const Timeline& timeline, const Code& code) {
    if (code.load) return fmt::format("[bpf:{}]", timeline.loads()[*code.load].id.value);
    return code.kind == CodeKind::out_of_line ? "[kernel]" : "[bpf]";
}

std::string text_of(const Instruction& instruction) {
    return instruction.operands.empty() ? instruction.mnemonic : instruction.mnemonic + " " + instruction.operands;
}

std::string_view short_name(std::string_view object) {
    if (object.starts_with('[')) return object;
    const auto slash = object.find_last_of('/');
    return slash == std::string_view::npos || slash + 1 == object.size() ? object : object.substr(slash + 1);
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace perfdata
