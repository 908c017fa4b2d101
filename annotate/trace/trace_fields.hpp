// SPDX-License-Identifier: MIT
// Typed reading of the fields of tracepoints, from the feature TRACING_DATA.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// is_name_letter(c) returns true for letters of C names.
bool is_name_letter(char c);

// FieldType is what a field of a tracepoint holds.
struct FieldType {
    enum class Kind : std::uint8_t {
        number,   // of 1, 2, 4 or 8 bytes
        numbers,  // an array of them
        text,     // an array of characters, which a NUL may end
        pointer,  // an address of text, which is not in the recording; also a number
        other,    // a struct, or an array of elements of unknown size
    };
    enum class Where : std::uint8_t { here, data_loc, rel_loc };

    Kind kind = Kind::number;
    Where where = Where::here;
    bool is_signed = false;
    bool is_address = false;   // shown in hexadecimal
    std::uint8_t element = 0;  // bytes of a number; 0: none
    std::uint32_t offset = 0;  // of what is `here`: the content, or the place and size of the content
    std::uint32_t size = 0;    // bytes from there

    bool operator==(const FieldType&) const = default;
    bool is_number() const { return kind == Kind::number || kind == Kind::pointer; }
};

// EventField is a field with its name.
struct EventField {
    std::string name;
    FieldType type;
};

// FieldName is "prev_pid" or "args[2]", as users write it.
struct FieldName {
    std::string name;
    std::optional<std::uint32_t> index{};  // of an element of an array

    std::string text() const;
    bool operator==(const FieldName&) const = default;
};

// parse_field_name(text) returns nothing if it is none.
std::optional<FieldName> parse_field_name(std::string_view text);

// FieldNumber is a number as its field has it.
struct FieldNumber {
    std::uint64_t bits = 0;  // extended to 64 bits by its sign
    bool is_signed = false;
};

// field_content(type, raw, order) returns the bytes of a field, wherever in the data it is. Nothing if any of them is
// outside of the data.
std::optional<Bytes> field_content(const FieldType& type, Bytes raw, AnyOrder order);
// number_in(type, index, raw, order) returns a number, or an element of an array. Nothing if it is outside of the data,
// or the field has no such element.
std::optional<FieldNumber> number_in(const FieldType& type, std::uint32_t index, Bytes raw, AnyOrder order);
// text_in(type, raw, order) returns the text up to its NUL; it lives as long as the data. Nothing as above.
std::optional<std::string_view> text_in(const FieldType& type, Bytes raw, AnyOrder order);

// EventFields is the fields of one tracepoint. They are bounded by most_fields, and so is each search.
class EventFields {
  public:
    static constexpr std::size_t most_fields = 1024;
    static constexpr std::size_t most_format_bytes = std::size_t{64} << 10;

    // parse(format, long_bytes) parses the text of a `format` file. It leaves out lines that it does not understand,
    // and fields behind most_fields. `long_bytes` is the size of the recorded kernel's `long`.
    static EventFields parse(std::string_view format, std::uint8_t long_bytes = 8);

    // common() returns the fields that all tracepoints have, own() the others, both in the order of the format.
    std::span<const EventField> common() const { return std::span(fields_).first(common_); }
    std::span<const EventField> own() const { return std::span(fields_).subspan(common_); }
    // Returns true if there are more than most_fields.
    bool is_cut() const { return is_cut_; }
    // Return null if there is none of that name.
    const EventField* find_own(std::string_view name) const { return find(own(), name); }
    const EventField* find_common(std::string_view name) const { return find(common(), name); }

  private:
    static const EventField* find(std::span<const EventField> fields, std::string_view name);

    std::vector<EventField> fields_;
    std::size_t common_ = 0;
    bool is_cut_ = false;
};

// TraceFields is the fields of all recorded tracepoints.
class TraceFields {
  public:
    // read(recording) reads the formats of the recorded tracepoints; none if the recording has none.
    static TraceFields read(const Recording& recording);

    // of_formats(formats, order) makes as many events of these texts.
    static TraceFields of_formats(const std::vector<std::string>& formats, AnyOrder order);

    // of(event) returns the fields by the index in recording.events(); null for what is no tracepoint, or has no format
    // that can be read. It lives as long as this object.
    const EventFields* of(std::uint32_t event) const {
        return event < by_event_.size() && by_event_[event] != none ? &formats_[by_event_[event]] : nullptr;
    }
    AnyOrder order() const { return order_; }  // of the data of tracepoints
    // is_empty() returns true if no event has fields.
    bool is_empty() const { return formats_.empty(); }
    // unread() returns how many of the recorded tracepoints have no format, or a damaged or too long one.
    std::size_t unread() const { return unread_; }
    // damaged() returns how many of these have a damaged or too long one, as far as that is known.
    std::size_t damaged() const { return damaged_; }
    // damage_text() says so: "the formats of 2 tracepoints are damaged or too long"; empty if there are none.
    std::string damage_text() const;
    // problems() returns it, for Completeness.
    std::vector<Error> problems() const;

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::vector<EventFields> formats_;
    std::vector<std::uint32_t> by_event_;  // by index of the event: index in formats_, or none
    std::size_t unread_ = 0, damaged_ = 0;
    AnyOrder order_;
};

}  // namespace perfdata
