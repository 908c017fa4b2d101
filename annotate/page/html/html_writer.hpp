// SPDX-License-Identifier: MIT
// HTML output: our markup unchanged, foreign text escaped.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"

namespace perfdata {

// html_text(text, most) escapes text for HTML, between tags and in quoted attributes. Unprintable characters are
// written as by printable(). Longer text is cut, with its length appended.
std::string html_text(std::string_view text, std::size_t most = 300);

// HtmlWriter: call flush() at the end. The destructor does not flush because sinks may throw.
class HtmlWriter {
  public:
    explicit HtmlWriter(const Sink& sink) : sink_(sink) {}
    HtmlWriter(const HtmlWriter&) = delete;
    HtmlWriter& operator=(const HtmlWriter&) = delete;
    ~HtmlWriter() = default;

    HtmlWriter& raw(std::string_view markup) {
        buffer_ += markup;
        if (buffer_.size() > block) flush();
        return *this;
    }
    HtmlWriter& text(std::string_view foreign, std::size_t most = 300) { return raw(html_text(foreign, most)); }
    // print(...): arguments must be numbers or our own markup.
    template <class... Arguments>
    HtmlWriter& print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
        return *this;
    }
    void flush() {
        if (!buffer_.empty()) sink_(buffer_);
        buffer_.clear();
    }

  private:
    static constexpr std::size_t block = 65536;

    const Sink& sink_;
    std::string buffer_;
};

}  // namespace perfdata
