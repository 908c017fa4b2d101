// SPDX-License-Identifier: MIT
// Samples as JSON: one object per line.
#pragma once

#include "btf/payload_output.hpp"
#include "format/json_stream.hpp"
#include "script_item.hpp"
#include "script_places.hpp"
#include "trace/trace_formats.hpp"

namespace perfdata {

class ScriptJson {
  public:
    // All arguments must outlive it. Without `payloads` what BPF programs wrote is shown as bytes only.
    ScriptJson(const TraceFormats& formats, ScriptPlaces& places, PayloadOutput* payloads, const Sink& sink)
        : formats_(formats), places_(places), payloads_(payloads), stream_(sink), writer_(stream_) {}

    void write(const ScriptItem& item);
    // flush() writes out the buffered rest.
    void flush() { stream_.flush(); }

  private:
    void member(std::string_view name, std::string_view value);
    void member(std::string_view name, std::uint64_t value);
    void id(std::string_view name, std::uint32_t value);
    void place(std::uint32_t number);

    const TraceFormats& formats_;
    ScriptPlaces& places_;
    PayloadOutput* payloads_;
    JsonStream stream_;
    CompactJson writer_;
};

}  // namespace perfdata
