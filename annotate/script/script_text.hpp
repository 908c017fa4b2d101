// SPDX-License-Identifier: MIT
// Samples as perf script prints them. Follows process_event in tools/perf/builtin-script.c of Linux 6.1.
#pragma once

#include <string>
#include <vector>

#include "perfdata/wire/sample/branch_stack.hpp"
#include "perfdata/wire/sample/registers.hpp"

#include "btf/payload_output.hpp"
#include "script_fields.hpp"
#include "script_item.hpp"
#include "script_lines.hpp"
#include "trace/trace_formats.hpp"

namespace perfdata {

class ScriptText {
  public:
    // All arguments must outlive it. Without `payloads` what BPF programs wrote is shown as bytes.
    ScriptText(const Recording& recording, const FieldChoice& fields, bool nanoseconds, RegisterSet registers,
               const TraceFormats& formats, PayloadOutput* payloads);

    // append(text, item, lines) appends a line, or several. It may be called on many threads at the same time, each
    // with lines of its own, unless it writes payloads.
    void append(std::string& text, const ScriptItem& item, ScriptLines& lines) const;

    // fields(item) returns what is shown of it.
    ScriptFields fields(const ScriptItem& item) const { return of(item).fields; }

  private:
    struct OfEvent {
        std::string name;
        std::string column{};     // the name on the right of its column, and what follows it; empty: too wide
        ScriptFields fields = 0;  // those that it may have
        bool has_any = false;     // some field was chosen
    };
    const OfEvent& of(const ScriptItem& item) const {
        return events_[static_cast<std::size_t>(&item.event - first_event_)];
    }
    void append_start(std::string& text, const ScriptItem& item, ScriptFields fields) const;
    char* put_time(char* at, Time time) const;
    static void append_places(std::string& text, const ScriptItem& item);
    void append_details(std::string& text, const ScriptItem& item, ScriptFields fields, ScriptLines& lines) const;
    void append_payload(std::string& text, const ScriptItem& item) const;

    bool nanoseconds_;
    const TraceFormats& formats_;
    PayloadOutput* payloads_;
    RegisterSet registers_;
    const Event* first_event_;
    std::vector<OfEvent> events_;  // by event
    std::size_t name_width_ = 0;
};

}  // namespace perfdata
