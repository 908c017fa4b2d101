// SPDX-License-Identifier: MIT
// Checks for well-formed UTF-8: foreign text may contain any bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace perfdata {

// utf8_length(text) returns the length in bytes of the well-formed character at the start, 0 if there is none.
// Overlong forms, surrogates and code points beyond U+10FFFF are not well formed. The text must not be empty.
constexpr std::size_t utf8_length(std::string_view text) {
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

// utf8_character(character) returns the code point of a well-formed character.
constexpr char32_t utf8_character(std::string_view character) {
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(character[index]); };
    if (character.size() == 1) return byte(0);
    char32_t value = byte(0) & (0x7fU >> character.size());
    for (std::size_t index = 1; index < character.size(); ++index) value = value << 6 | (byte(index) & 0x3fU);
    return value;
}

// is_control(character): U+0080 to U+009F are control characters too.
constexpr bool is_control(char32_t character) {
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

// is_name(text) returns true if the text is a plausible name: well-formed, without control characters. Anything else
// is damage or malice.
constexpr bool is_name(std::string_view text) {
    while (!text.empty()) {
        const auto length = utf8_length(text);
        if (length == 0 || is_control(utf8_character(text.substr(0, length)))) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace perfdata
