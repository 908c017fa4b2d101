// SPDX-License-Identifier: MIT
// Text output, with colours on request.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace perfdata {

enum class TextStyle : std::uint8_t { plain, hot, warm, source, title, dim };

// TextWriter: foreign text must be printable() already.
class TextWriter {
  public:
    explicit TextWriter(bool color) : color_(color) {}

    const std::string& text() const { return text_; }
    // hand_out(sink) passes the text to the sink and clears it.
    template <class Sink>
    void hand_out(const Sink& sink) {
        if (!text_.empty()) sink(text_);
        text_.clear();
    }

    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }

    void styled(TextStyle style, std::string_view content) {
        begin(style);
        put(content);
        end(style);
    }
    void begin(TextStyle style) {
        if (color_) put(escape(style));
    }
    void end(TextStyle style) {
        if (color_ && style != TextStyle::plain) put("\x1b[0m");
    }

    // The functions below avoid format strings, which are slow, for the most frequent fields.
    void put(std::string_view content) { text_ += content; }
    void spaces(std::size_t count) { text_.append(count, ' '); }
    // left_aligned("mov", 7) is "mov    ".
    void left_aligned(std::string_view content, std::size_t width) {
        put(content);
        if (content.size() < width) spaces(width - content.size());
    }
    // hexadecimal(26, 4) is "  1a".
    void hexadecimal(std::uint64_t value, std::size_t width = 0) {
        std::array<char, 16> digits;
        const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
        const std::string_view content(digits.data(), static_cast<std::size_t>(end - digits.data()));
        if (content.size() < width) spaces(width - content.size());
        put(content);
    }

  private:
    static std::string_view escape(TextStyle style) {
        switch (style) {
            case TextStyle::hot: return "\x1b[1;31m";
            case TextStyle::warm: return "\x1b[32m";
            case TextStyle::source: return "\x1b[36m";
            case TextStyle::title: return "\x1b[1m";
            case TextStyle::dim: return "\x1b[2m";
            case TextStyle::plain: break;
        }
        return "";
    }

    bool color_;
    std::string text_;
};

}  // namespace perfdata
