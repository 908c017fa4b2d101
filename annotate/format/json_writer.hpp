// SPDX-License-Identifier: MIT
// Streaming JSON: RapidJSON's writer with the conventions that all our documents share.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/profile/event_count.hpp"

#include "json_stream.hpp"
#include "words.hpp"

namespace perfdata {

// JsonWriter writes keys and values in order and passes them to the sink block by block.
class JsonWriter {
  public:
    explicit JsonWriter(const Sink& sink) : stream_(sink), writer_(stream_) {
        writer_.SetIndent(' ', 1);
        writer_.SetFormatOptions(rapidjson::kFormatSingleLineArray);
        writer_.SetMaxDecimalPlaces(6);
    }

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
    void value(double number) { writer_.Double(std::isfinite(number) ? number : 0.0); }
    void value(Address address) { value(hex(address)); }
    void value(Time time) { value(seconds(time)); }
    void value(Bytes bytes) { writer_.hex(bytes); }

    template <class T>
    void member(std::string_view name, const T& content) {
        key(name);
        value(content);
    }
    // name(...) writes a member whose text may repeat elsewhere in the document, so long text is shortened.
    void name(std::string_view name, std::string_view content) { member(name, std::string_view(Shortened(content))); }
    // name_or_null(...) writes null if the text is empty.
    void name_or_null(std::string_view name, std::string_view content) {
        if (!content.empty()) return this->name(name, content);
        key(name);
        null();
    }

    template <class T>
    void member(std::string_view name, const std::optional<T>& content) {
        key(name);
        if (content) {
            value(*content);
        } else {
            null();
        }
    }

    // exact(...) writes a number with all its digits: what reads it gets the same one. Null for what is no number.
    void exact(std::string_view name, double number) {
        key(name);
        if (!std::isfinite(number)) return null();
        std::array<char, 32> digits;
        const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        writer_.RawValue(digits.data(), static_cast<std::size_t>(end - digits.data()), rapidjson::kNumberType);
    }

    // array(name, range, projection) writes "name": [projection of each element].
    template <class Range, class Projection>
    void array(std::string_view name, const Range& range, Projection projection) {
        key(name);
        begin_array();
        for (const auto& element : range) value(projection(element));
        end_array();
    }
    // counts(cells) writes the arrays "hits" and "periods", one number per event.
    void counts(std::span<const EventCount> cells) {
        array("hits", cells, [](const EventCount& cell) { return cell.hits; });
        array("periods", cells, [](const EventCount& cell) { return cell.periods; });
    }

    // finish() ends the document with a newline and flushes.
    void finish() {
        stream_.Put('\n');
        stream_.flush();
    }

  private:
    JsonStream stream_;
    PrettyJson writer_;
};

}  // namespace perfdata
