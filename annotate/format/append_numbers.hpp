// SPDX-License-Identifier: MIT
// Appends numbers to a text without parsing a format, for millions of lines. With these `perfdata dump`
// takes less than half of the time that fmt's formats take.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "perfdata/core/types.hpp"

namespace perfdata {

// append_at_most(text, most, put) appends what put(at) writes there, at most so many bytes. It returns what is behind
// them.
template <class Put>
void append_at_most(std::string& text, std::size_t most, Put&& put) {
    text.resize_and_overwrite(text.size() + most, [&, begin = text.size()](char* data, std::size_t) {
        return static_cast<std::size_t>(put(data + begin) - data);
    });
}

// append_decimal(text, number) appends "-12".
template <std::integral T>
void append_decimal(std::string& text, T number) {
    constexpr std::size_t most = 20;  // digits of 64 bits, also with a sign
    append_at_most(text, most, [&](char* at) { return std::to_chars(at, at + most, number).ptr; });
}

// append_hex(text, number) appends "0xc0ffee".
inline void append_hex(std::string& text, std::uint64_t number) {
    constexpr std::size_t most = 18;
    append_at_most(text, most, [&](char* at) {
        *at++ = '0';
        *at++ = 'x';
        return std::to_chars(at, at + most - 2, number, 16).ptr;
    });
}

// append_hex_bytes(text, bytes) appends "c0ffee".
inline void append_hex_bytes(std::string& text, Bytes bytes) {
    static constexpr auto pairs = [] {
        struct {
            char digits[256][2];
        } all{};
        for (int byte = 0; byte < 256; ++byte) {
            all.digits[byte][0] = "0123456789abcdef"[byte >> 4];
            all.digits[byte][1] = "0123456789abcdef"[byte & 15];
        }
        return all;
    }();
    append_at_most(text, 2 * bytes.size(), [&](char* at) {
        for (const auto byte : bytes) {
            const auto& digits = pairs.digits[std::to_integer<unsigned>(byte)];
            *at++ = digits[0];
            *at++ = digits[1];
        }
        return at;
    });
}

// append_seconds(text, time) appends "1207.289352337".
inline void append_seconds(std::string& text, Time time) {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr std::size_t most_digits = 20, fraction = 9;
    append_at_most(text, most_digits + 1 + fraction, [&](char* at) {
        at = std::to_chars(at, at + most_digits, time.nanoseconds / second).ptr;
        *at = '.';
        auto left = time.nanoseconds % second;
        for (auto* to = at + fraction; to != at; --to, left /= 10) *to = static_cast<char>('0' + left % 10);
        return at + 1 + fraction;
    });
}

}  // namespace perfdata
