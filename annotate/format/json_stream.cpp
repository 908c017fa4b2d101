// SPDX-License-Identifier: MIT
#include "json_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "words.hpp"

namespace perfdata {
namespace {

// Plain characters need no escape and are a whole character.
constexpr auto plain = [] {
    std::array<bool, 256> table{};
    for (std::size_t byte = 0x20; byte < 0x7f; ++byte) table[byte] = byte != '"' && byte != '\\';
    return table;
}();

}  // namespace

void JsonStream::put(std::string_view characters) {
    const auto* const end = memory_.get() + block;
    while (!characters.empty()) {
        if (next_ == end) flush();
        const auto size = std::min(characters.size(), static_cast<std::size_t>(end - next_));
        std::memcpy(next_, characters.data(), size);
        next_ += size;
        characters.remove_prefix(size);
    }
}

void JsonStream::repeat(char character, std::size_t count) {
    while (count != 0) {
        if (next_ == memory_.get() + block) flush();
        const auto size = std::min(count, static_cast<std::size_t>(memory_.get() + block - next_));
        std::memset(next_, character, size);
        next_ += size;
        count -= size;
    }
}

void JsonStream::escape(char32_t character) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    switch (character) {
        case '"': return put("\\\"");
        case '\\': return put("\\\\");
        case '\b': return put("\\b");
        case '\f': return put("\\f");
        case '\n': return put("\\n");
        case '\r': return put("\\r");
        case '\t': return put("\\t");
        default: break;
    }
    if (character > 0xffff) {
        // A UTF-16 surrogate pair.
        escape(0xd7c0 + (character >> 10));
        return escape(0xdc00 + (character & 0x3ff));
    }
    put("\\u");
    for (const unsigned shift : {12U, 8U, 4U, 0U}) Put(digits[character >> shift & 15]);
}

void JsonStream::text(std::string_view content) {
    Put('"');
    while (!content.empty()) {
        const auto* const odd =
            std::ranges::find_if(content, [](char c) { return !plain[static_cast<unsigned char>(c)]; });
        const auto size = static_cast<std::size_t>(odd - content.begin());
        put(content.substr(0, size));
        content.remove_prefix(size);
        if (content.empty()) break;
        const auto length = utf8_length(content);
        const auto whole = content.substr(0, length);
        if (length == 0) {
            put("\xef\xbf\xbd");
        } else if (const auto character = utf8_character(whole); length == 1 || !is_shown(character)) {
            escape(character);
        } else {
            put(whole);
        }
        content.remove_prefix(std::max<std::size_t>(length, 1));
    }
    Put('"');
}

void JsonStream::hex(Bytes bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    Put('"');
    for (const auto byte : bytes) {
        Put(digits[std::to_integer<unsigned>(byte) >> 4]);
        Put(digits[std::to_integer<unsigned>(byte) & 15]);
    }
    Put('"');
}

}  // namespace perfdata
