// SPDX-License-Identifier: MIT
// The fields of tracepoints printed as perf does, from the feature TRACING_DATA.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/recording/recording.hpp"

#include "trace_expression.hpp"
#include "trace_print.hpp"

namespace perfdata {

// TraceText is one tracepoint's parsed format file.
class TraceText {
  public:
    // parse(text, long_size, most) leaves out fields that it does not understand. `most` bounds the parts of the
    // format.
    static TraceText parse(std::string_view text, std::uint8_t long_size = 8,
                           std::size_t most = TraceRoom::most_in_format);

    // parts() returns how many parts it has; 0 if only the fields are known.
    std::size_t parts() const { return parts_; }
    // is_too_large() returns true if the format was not understood because of its many parts.
    bool is_too_large() const { return is_too_large_; }

    void append(std::string& text, const TraceRecord& record) const;
    // names_code() returns true if the text has names of code: see TraceNames.
    bool names_code() const { return print_ && print_->names_code(); }

    // Value is where the text has a field, see TracePrint::values().
    using Value = TracePrint::Value;
    // values() returns them by name of the field; none if the format was not understood. Valid as long as this lives.
    std::map<std::string_view, Value> values() const;
    // append_value(text, value, record) appends what the event prints for one of them, and returns what that took.
    std::size_t append_value(std::string& text, const Value& value, const TraceRecord& record) const;

  private:
    void parse_field(std::string_view line, std::uint8_t long_size);
    void append_fields(std::string& text, const TraceRecord& record) const;

    std::vector<TraceField> fields_;
    std::size_t common_fields_ = 0;  // the common fields of all tracepoints come first
    std::optional<TracePrint> print_;
    std::size_t parts_ = 0;
    bool is_too_large_ = false;
};

class TraceFormats {
  public:
    // read(recording) reads the formats of the recorded tracepoints; empty if the recording has none.
    static TraceFormats read(const Recording& recording);

    // append(text, id, raw, names) appends the kernel's text for the data of a tracepoint (Attr::config); without a
    // format its bytes. Without names, code is shown by its address.
    void append(std::string& text, std::uint64_t id, Bytes raw, TraceNames* names = nullptr) const;

    // values(id) and append_value(text, id, value, raw, names) are those of TraceText. Without a format there are none.
    std::map<std::string_view, TraceText::Value> values(std::uint64_t id) const;
    std::size_t append_value(std::string& text, std::uint64_t id, const TraceText::Value& value, Bytes raw,
                             TraceNames* names = nullptr) const;

    // names_code(id) returns true if the text of a tracepoint has names of code.
    bool names_code(std::uint64_t id) const;

    // unread() returns how many of the recorded tracepoints have a format that is damaged or too long.
    std::uint64_t unread() const { return unread_; }
    // too_large() returns how many have formats with too many parts, alone or together: their fields are listed.
    std::uint64_t too_large() const { return too_large_; }

  private:
    std::map<std::uint64_t, TraceText> formats_;
    TraceStrings strings_;
    std::uint64_t unread_ = 0, too_large_ = 0;
    std::uint8_t long_size_ = 8;
    AnyOrder order_;
};

}  // namespace perfdata
