// SPDX-License-Identifier: MIT
// Fuzz target: a whole file through `perfdata dump` and `perfdata info`, as text and as JSON.
#include <string>

#include "perfdata/recording/walk.hpp"

#include "outputs.hpp"
#include "promise.hpp"
#include "tool/dump/dump_lines.hpp"
#include "tool/info/info_page.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

class Dump {
  public:
    Dump(const Recording& recording, tool::DumpLines& lines) : recording_(recording), lines_(lines) {}

    template <class R>
    void operator()(const RecordContext& context, const R& record) {
        const Event* event = nullptr;
        if (context.event != RecordContext::no_event) event = &recording_.events().events()[context.event];
        lines_.line(context.view, context.time, event, [&](auto&& visit) {
            if constexpr (requires { record.details(); }) {
                sample_fields(record, register_set(recording_.arch()), visit);
            } else {
                record.fields(visit);
            }
            tool::word_fields(record, visit);
        });
    }
    void unknown(const RecordView& record) {
        lines_.line(record, {}, nullptr, [&](auto&& visit) { visit("unknown", record.bytes); });
    }
    void damaged(const RecordView& record, const Error& error) {
        lines_.line(record, {}, nullptr, [&](auto&& visit) { visit("damaged", std::string_view(error.detail)); });
    }

  private:
    const Recording& recording_;
    tool::DumpLines& lines_;
};

std::string dumped(const Recording& recording, bool json) {
    std::string text;
    const Sink sink = [&](std::string_view block) { text += block; };
    tool::DumpLines lines(json, sink);
    Completeness completeness;
    require(walk(recording, completeness, Dump(recording, lines)).has_value());
    lines.flush();
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto recording = Recording::from_memory(std::as_bytes(std::span(data, size)), {fuzz::small_limits()});
    if (!recording) return 0;
    fuzz::check_json_lines(dumped(*recording, true));
    fuzz::check_text(dumped(*recording, false));
    const tool::InfoPage page(*recording, true, true);
    std::string json, text;
    page.write_json([&](std::string_view block) { json += block; });
    fuzz::check_json(json);
    page.write_text([&](std::string_view block) { text += block; });
    fuzz::check_text(text);
    return 0;
}
