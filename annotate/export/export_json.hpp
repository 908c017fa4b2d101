// SPDX-License-Identifier: MIT
// JSON of other tools' formats: without white space, as it is long.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"

#include "format/json_stream.hpp"
#include "format/words.hpp"

namespace perfdata {

// ExportJson writes keys and values in order and passes them to the sink block by block.
class ExportJson {
  public:
    explicit ExportJson(const Sink& sink) : stream_(sink), writer_(stream_) {}

    void begin_object() { writer_.StartObject(); }
    void end_object() { writer_.EndObject(); }
    void begin_array() { writer_.StartArray(); }
    void end_array() { writer_.EndArray(); }
    void key(std::string_view name) { writer_.text(name); }

    void null() { writer_.Null(); }
    void value(std::string_view text) { writer_.text(text); }
    void value(const char* text) { value(std::string_view(text)); }
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(std::uint64_t number) { writer_.Uint64(number); }
    void value(std::uint32_t number) { writer_.Uint(number); }
    void value(std::int64_t number) { writer_.Int64(number); }
    void value(std::int32_t number) { writer_.Int(number); }
    void value(bool truth) { writer_.Bool(truth); }
    // Writes number / 1,000,000 with all its digits: nanoseconds as milliseconds.
    void millionths(std::uint64_t number) {
        constexpr std::uint64_t million = 1'000'000;
        auto digits = fmt::format_int(number / million);
        std::string text(digits.data(), digits.size());
        if (const auto rest = number % million; rest != 0) {
            text += fmt::format(".{:06}", rest);
            text.resize(text.find_last_not_of('0') + 1);
        }
        writer_.RawValue(text.data(), text.size(), rapidjson::kNumberType);
    }

    template <class T>
    void member(std::string_view name, const T& content) {
        key(name);
        value(content);
    }
    // name(...) writes a member whose text a file chose: shortened.
    void name(std::string_view name, std::string_view content) { member(name, std::string_view(Shortened(content))); }
    void null(std::string_view name) {
        key(name);
        null();
    }
    // column(name, size, each) writes "name": [what each(0), each(1), ... write].
    template <class Each>
    void column(std::string_view name, std::size_t size, Each&& each) {
        key(name);
        begin_array();
        for (std::size_t at = 0; at < size; ++at) each(at);
        end_array();
    }
    // constant(name, size, content) writes the same value `size` times.
    template <class T>
    void constant(std::string_view name, std::size_t size, const T& content) {
        column(name, size, [&](std::size_t) { value(content); });
    }
    void nulls(std::string_view name, std::size_t size) {
        column(name, size, [&](std::size_t) { null(); });
    }

    // finish() ends the document with a newline and flushes.
    void finish() {
        stream_.Put('\n');
        stream_.flush();
    }

  private:
    JsonStream stream_;
    CompactJson writer_;
};

}  // namespace perfdata
