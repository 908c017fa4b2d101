// SPDX-License-Identifier: MIT
// The fields of tracepoints in the kernel's own words, from the feature TRACING_DATA.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/recording/recording.hpp"

#include "trace_expression.hpp"

namespace perfdata {

// TraceText is one tracepoint's format file, understood.
class TraceText {
  public:
    // parse(text): what it does not understand leaves it with fewer fields.
    static TraceText parse(std::string_view text);

    void append(std::string& text, const TraceRecord& record) const;

  private:
    void parse_field(std::string_view line);
    void parse_print(std::string_view text);
    void append_fields(std::string& text, const TraceRecord& record) const;
    void append_print(std::string& text, const TraceRecord& record) const;

    std::vector<TraceField> fields_;
    std::size_t common_fields_ = 0;  // those of every tracepoint come first
    bool understood_ = false;
    std::string format_;
    std::vector<TraceExpression> arguments_;
};

class TraceFormats {
  public:
    // read(recording) takes the formats of the recorded tracepoints; none if the recording has none.
    static TraceFormats read(const Recording& recording);

    // append(text, id, raw): the kernel's text of what a tracepoint (Attr::config) wrote; without a format its bytes.
    void append(std::string& text, std::uint64_t id, Bytes raw) const;

    // unread() is how many of the recorded tracepoints have a format that is damaged or too long.
    std::uint64_t unread() const { return unread_; }

  private:
    std::map<std::uint64_t, TraceText> formats_;
    std::uint64_t unread_ = 0;
    AnyOrder order_;
};

}  // namespace perfdata
