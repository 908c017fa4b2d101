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
               const TraceFormats& formats, ScriptPlaces& places, PayloadOutput* payloads);

    void append(std::string& text, const ScriptItem& item);

  private:
    void append_start(std::string& text, const ScriptItem& item, ScriptFields fields) const;
    char* put_time(char* at, Time time) const;
    void append_places(std::string& text, const ScriptItem& item, ScriptFields fields);
    void append_details(std::string& text, const ScriptItem& item, ScriptFields fields);
    void append_payload(std::string& text, const ScriptItem& item) const;
    void append_address(std::string& text, const ScriptItem& item, Address address, ScriptFields fields);
    void append_branches(std::string& text, const ScriptItem& item, const BranchStack<AnyOrder>& branches,
                         ScriptFields fields);

    const FieldChoice& fields_;
    bool nanoseconds_;
    const TraceFormats& formats_;
    ScriptPlaces& places_;
    PayloadOutput* payloads_;
    RegisterSet registers_;
    const Event* first_event_;
    std::vector<std::string> names_;  // by event
    std::size_t name_width_ = 0;
};

}  // namespace perfdata
