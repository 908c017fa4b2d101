// SPDX-License-Identifier: MIT
#include "words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <iterator>

namespace perfdata {
namespace {

// Invisible characters that change how other text looks or hide between letters: direction marks, line separators,
// joiners, fillers, annotations, tags. U+200C, U+200D and the variation selectors outside plane 14 are absent: scripts
// and emoji need them.
struct Range {
    char32_t first, last;
};
constexpr std::array unseen{
    Range{0x00ad, 0x00ad},    // soft hyphen
    Range{0x034f, 0x034f},    // combining grapheme joiner
    Range{0x061c, 0x061c},    // Arabic letter mark
    Range{0x115f, 0x1160},    // Hangul fillers
    Range{0x17b4, 0x17b5},    // Khmer vowels without a shape
    Range{0x180e, 0x180e},    // Mongolian vowel separator
    Range{0x200b, 0x200b},    // zero width space
    Range{0x200e, 0x200f},    // left-to-right and right-to-left mark
    Range{0x2028, 0x202e},    // line and paragraph separators; embeddings and overrides
    Range{0x2060, 0x206f},    // word joiner, invisible operators, isolates, deprecated controls
    Range{0x3164, 0x3164},    // Hangul filler
    Range{0xfeff, 0xfeff},    // byte order mark
    Range{0xffa0, 0xffa0},    // half-width Hangul filler
    Range{0xfff0, 0xfffb},    // reserved, interlinear annotation
    Range{0x13430, 0x1343f},  // Egyptian hieroglyph format controls
    Range{0x1bca0, 0x1bca3},  // shorthand format controls
    Range{0x1d173, 0x1d17a},  // musical format controls
    Range{0xe0000, 0xe0fff},  // tags, variation selectors
};

// simple(text) returns true for ASCII without control characters, as nearly all names are.
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

bool is_shown(char32_t character) {
    if (is_control(character)) return false;
    const auto* const found = std::ranges::upper_bound(unseen, character, {}, &Range::first);
    return found == unseen.begin() || character > std::prev(found)->last;
}

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
        return character == "\t" || is_shown(utf8_character(character));
    };
    return rewrite(text, visible, [](unsigned char byte) { return fmt::format("\\x{:02x}", byte); });
}

void Shortened::shorten() {
    auto size = most_shown;
    // Do not cut inside a character.
    constexpr std::size_t longest_character = 4;
    while (size + longest_character > most_shown && (static_cast<unsigned char>(text_[size]) & 0xc0) == 0x80) --size;
    own_ = fmt::format("{}… (and {} more bytes)", text_.substr(0, size), text_.size() - size);
    text_ = own_;
}

InLine::InLine(std::string_view text, Keep keep, std::size_t most) : text_(text) {
    // Approximates the size in JSON: six bytes for a control character, two for any other byte that may be escaped.
    const auto cost = [](char letter) -> std::size_t {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x20 || byte == 0x7f) return 6;
        return byte >= 0x80 || byte == '"' || byte == '\\' ? 2 : 1;
    };
    const auto in_character = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
    };
    constexpr std::size_t longest_character = 4;
    std::size_t size = 0, sum = 0;
    while (size < text.size()) {
        sum += cost(keep == Keep::beginning ? text[size] : text[text.size() - 1 - size]);
        if (sum > most) break;
        ++size;
    }
    if (size == text.size()) return;
    if (keep == Keep::beginning) {
        for (std::size_t step = 1; step < longest_character && size != 0 && in_character(size); ++step) --size;
        own_ = fmt::format("{}… (and {} more bytes)", text.substr(0, size), text.size() - size);
    } else {
        auto begin = text.size() - size;
        if (const auto part = text.find('/', begin); part != std::string_view::npos) begin = part;
        for (std::size_t step = 1; step < longest_character && in_character(begin); ++step) ++begin;
        own_ = fmt::format("…{}", text.substr(begin));
    }
    text_ = own_;
}

std::string shown(std::string_view text) {
    return printable(Shortened(text));
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

std::string comm_text(std::string_view comm, Tid tid) {
    return comm.empty() ? fmt::format(":{}", signed_id(tid.value)) : std::string(comm);
}

std::string_view short_name(std::string_view object) {
    if (object.starts_with('[')) return object;
    const auto slash = object.find_last_of('/');
    return slash == std::string_view::npos || slash + 1 == object.size() ? object : object.substr(slash + 1);
}

void append_address(std::uint64_t address, std::string& text) {
    constexpr std::size_t digits = 16;
    const auto begin = text.size();
    text += "0x0000000000000000";
    for (auto at = begin + 2 + digits; address != 0; address >>= 4) text[--at] = "0123456789abcdef"[address & 0xf];
}

std::string how_many(std::uint64_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace perfdata
