// SPDX-License-Identifier: MIT
// Text of one sample, of bounded size, and the parsed directives ("%-5.3lld") that shape it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfdata {

struct TraceDirective {
    bool left = false, zeros = false, alternate = false, plus = false, space = false;
    std::optional<std::uint64_t> width, precision;
    unsigned longs = 0, halves = 0;
    char conversion = 0;
};

// TraceWriter appends to a text until it is full. Formats may be long, and are shown again and again: without a limit
// a small recording would have a text of any size.
class TraceWriter {
  public:
    // It takes about `most` bytes; `text` must outlive it.
    TraceWriter(std::string& text, std::size_t most) : text_(text), begin_(text.size()), most_(most) {}

    // full() returns true if the text has its most bytes, or if twice as many were looked at: a precision may show none
    // of them.
    bool full() const { return text_.size() - begin_ > most_ || seen_ > 2 * most_; }

    // seen() returns how many bytes of texts and data were looked at.
    std::size_t seen() const { return seen_; }
    // looked_at(bytes) counts data that may show nothing.
    void looked_at(std::size_t bytes) { seen_ += bytes; }
    // plain(text) appends without a directive.
    void plain(std::string_view text) {
        seen_ += text.size();
        append(text);
    }
    // word(text, directive) appends as "%-10.3s" does.
    void word(std::string_view text, const TraceDirective& directive);
    // bytes_of("%hd") returns 2: of how many bytes the number is; is_signed() is true for "%d" and "%i".
    static std::uint8_t bytes_of(const TraceDirective& directive) {
        return directive.halves > 1 ? 1 : directive.halves == 1 ? 2 : directive.longs == 0 ? 4 : 8;
    }
    static bool is_signed(const TraceDirective& directive) {
        return directive.conversion == 'd' || directive.conversion == 'i';
    }
    // number(value, directive) appends as "%05d" does.
    void number(std::uint64_t value, const TraceDirective& directive);
    // hex(value) appends as "0x%llx" does.
    void hex(std::uint64_t value);
    // pointer(value) appends as "%p" does in the C library: "(nil)" for 0.
    void pointer(std::uint64_t value);
    // bytes(data, separator) appends as "%02x" does.
    template <class Bytes>
    void bytes(const Bytes& data, std::string_view separator) {
        constexpr std::string_view digits = "0123456789abcdef";
        bool first = true;
        for (const auto byte : data) {
            if (full()) return;
            if (!first) text_ += separator;
            first = false;
            text_ += digits[static_cast<std::size_t>(byte) >> 4];
            text_ += digits[static_cast<std::size_t>(byte) & 15];
            seen_ += 2;
        }
    }

  private:
    // Cuts what is behind the limit: full() is true then.
    void append(std::string_view text) {
        const auto used = text_.size() - begin_;
        text_ += text.substr(0, used > most_ ? 0 : most_ + 1 - used);
    }
    // zeros(count) is append() of so many "0".
    void zeros(std::size_t count);

    std::string& text_;
    std::size_t begin_, most_;
    std::size_t seen_ = 0;
};

}  // namespace perfdata
