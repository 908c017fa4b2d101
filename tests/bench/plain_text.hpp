// SPDX-License-Identifier: MIT
// What the plain loops that print samples have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/profile/intern_table.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "plain_parts.hpp"

namespace perfdata::bench {

// FrameTexts makes what is behind an address once for each frame: its symbol, the offset and the object.
class FrameTexts {
  public:
    struct Text {
        std::string text;
        std::uint64_t lines = 1;
    };

    FrameTexts(const Opened& opened, bool inlines) : opened_(opened), inlines_(inlines) {}

    // of(frame) returns its text, which stays where it is.
    const Text& of(const Frame& frame) {
        const auto number = frames_.intern(frame);
        if (number == texts_.size()) texts_.push_back(std::make_unique<const Text>(make(frame)));
        return *texts_[number];
    }

  private:
    Text make(const Frame& frame) const {
        const auto name = opened_.symbolizer.name(frame);
        const auto object = name.object.empty() ? std::string_view("[unknown]") : name.object;
        if (name.symbol.empty()) return {fmt::format(" [unknown] ({})\n", object)};
        Text text{fmt::format(" {}+{:#x} ({})\n", name.symbol, name.offset, object)};
        if (!inlines_) return text;
        std::vector<Frame> calls;
        opened_.symbolizer.functions().add_inlined(frame, false, calls);
        for (const auto& call : calls) {
            const auto inlined = opened_.symbolizer.name(call);
            text.text = fmt::format(" {} (inlined)\n\t{:16}{}", inlined.symbol, "", text.text);
            ++text.lines;
        }
        return text;
    }

    const Opened& opened_;
    const bool inlines_;
    InternTable<Frame> frames_;
    std::vector<std::unique_ptr<const Text>> texts_;  // by frame
};

// These write at `at`, and return what is behind it.
inline char* put(char* at, std::string_view text) {
    return std::copy(text.begin(), text.end(), at);
}
inline char* put_right(char* at, std::string_view text, std::size_t width) {
    if (text.size() < width) at = std::fill_n(at, width - text.size(), ' ');
    return put(at, text);
}
inline char* put_number(char* at, std::uint64_t number, std::size_t width) {
    const fmt::format_int digits(number);
    return put_right(at, {digits.data(), digits.size()}, width);
}
// "%016lx" with blanks instead of leading zeros
inline char* put_address(char* at, std::uint64_t number) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t width = 16;
    auto* to = at + width;
    do *--to = digits[number % width];
    while ((number /= width) != 0);
    std::fill(at, to, ' ');
    return at + width;
}
// "%0*lu", of a number that has no more digits
inline char* put_digits(char* at, std::uint64_t number, std::size_t digits) {
    for (auto* to = at + digits; to != at; number /= 10) *--to = static_cast<char>('0' + number % 10);
    return at + digits;
}
// "%5lu.%06lu: ", of nanoseconds
inline char* put_time(char* at, std::uint64_t time) {
    constexpr std::uint64_t second = 1'000'000'000, microsecond = 1000;
    at = put_number(at, time / second, 5);
    *at++ = '.';
    return put(put_digits(at, time % second / microsecond, 6), ": ");
}

}  // namespace perfdata::bench
