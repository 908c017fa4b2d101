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
#include "script_places.hpp"
#include "trace/trace_formats.hpp"

namespace perfdata {

class ScriptText {
  public:
    // All arguments must outlive it. Without `payloads` what BPF programs wrote is shown as bytes.
    ScriptText(const Recording& recording, const FieldChoice& fields, bool nanoseconds, RegisterSet registers,
               const TraceFormats& formats, PayloadOutput* payloads);

    // append(text, item, places) may be called on many threads at the same time, without places, if needs_places(item)
    // is false.
    void append(std::string& text, const ScriptItem& item, ScriptPlaces* places) const;

    // needs_places(item) returns true if the text has names of more than the item's lines, or is that of payloads.
    bool needs_places(const ScriptItem& item) const { return of(item).needs_places; }
    // needs_record(item) returns true if the text shows more of the record than the item has.
    bool needs_record(const ScriptItem& item) const { return of(item).needs_record; }
    // fields(item) returns what is shown of it.
    ScriptFields fields(const ScriptItem& item) const { return of(item).fields; }

  private:
    struct OfEvent {
        std::string name;
        ScriptFields fields = 0;
        bool needs_places = false, needs_record = false;
    };
    const OfEvent& of(const ScriptItem& item) const {
        return events_[static_cast<std::size_t>(&item.event - first_event_)];
    }
    void append_start(std::string& text, const ScriptItem& item, ScriptFields fields) const;
    char* put_time(char* at, Time time) const;
    static void append_places(std::string& text, const ScriptItem& item);
    void append_details(std::string& text, const ScriptItem& item, ScriptFields fields, ScriptPlaces* places) const;
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
