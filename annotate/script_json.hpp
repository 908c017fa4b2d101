// SPDX-License-Identifier: MIT
// Samples as JSON: one object a line.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <string>

#include "script_item.hpp"
#include "script_places.hpp"
#include "trace_formats.hpp"

namespace perfdata {

class ScriptJson {
  public:
    // Both must outlive it.
    ScriptJson(const TraceFormats& formats, ScriptPlaces& places) : formats_(formats), places_(places) {}

    void append(std::string& text, const ScriptItem& item);

  private:
    using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
    void place(Writer& writer, std::uint32_t number);

    const TraceFormats& formats_;
    ScriptPlaces& places_;
    rapidjson::StringBuffer buffer_;
};

}  // namespace perfdata
