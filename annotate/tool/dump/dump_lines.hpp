// SPDX-License-Identifier: MIT
// One line per record: text similar to perf report -D, or a JSON object.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/recording/event_table.hpp"

#include "dump_fields.hpp"

namespace perfdata::tool {

// record_label(type) returns the type's name, or its number.
inline std::string record_label(std::uint32_t type) {
    const auto name = record_type_name(type);
    return name.empty() ? std::to_string(type) : std::string(name);
}

// DumpLines outputs blocks; flush() outputs the last one.
class DumpLines {
  public:
    DumpLines(bool json, const Sink& sink) : json_(json), sink_(sink), stream_(sink), writer_(stream_) {}

    // line(record, time, event, fields): fields(visit) visits the contents of the record. `event` may be null.
    template <class Fields>
    void line(const RecordView& record, std::optional<Time> time, const Event* event, Fields&& fields) {
        if (json_) {
            json_line(record, time, event, fields);
            stream_.Put('\n');
        } else {
            text_line(record, time, event, fields);
            text_ += '\n';
            if (text_.size() >= block_bytes) flush();
        }
    }

    void flush() {
        stream_.flush();
        sink_(text_);
        text_.clear();
    }

  private:
    static constexpr std::size_t block_bytes = std::size_t{256} << 10;

    // Only kernel records have a mode: those of perf itself use misc differently, if at all.
    static CpuMode mode_of(const RecordHeader& header) {
        constexpr auto first_of_perf = static_cast<std::uint32_t>(RecordType::header_attr);
        return header.type < first_of_perf ? cpu_mode(header.misc) : CpuMode::unknown;
    }

    template <class Fields>
    void json_line(const RecordView& record, std::optional<Time> time, const Event* event, Fields& fields) {
        const auto header = record.header();
        const auto label = record_label(header.type);
        const auto mode = mode_of(header);
        writer_.Reset(stream_);
        JsonFields frame(writer_, {});
        writer_.StartObject();
        frame("offset", record.offset);
        if (record.unpacked) frame("unpacked", true);
        frame("type", std::string_view(label));
        frame("size", header.size);
        frame("misc", header.misc);
        if (mode != CpuMode::unknown) frame("cpumode", cpu_mode_name(mode));
        if (time) frame("time", *time);
        if (event != nullptr) frame("event", std::string_view(Shortened(event->name)));
        auto prefix = label;
        std::ranges::transform(prefix, prefix.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        fields(JsonFields(writer_, prefix));
        writer_.EndObject();
    }

    template <class Fields>
    void text_line(const RecordView& record, std::optional<Time> time, const Event* event, Fields& fields) {
        const auto header = record.header();
        const auto mode = mode_of(header);
        append_hex(text_, record.offset);
        text_ += " [";
        append_hex(text_, header.size);
        text_ += "]: ";
        if (const auto name = record_type_name(header.type); !name.empty()) {
            text_ += name;
        } else {
            append_decimal(text_, header.type);
        }
        if (header.misc != 0) {
            text_ += " misc ";
            append_hex(text_, header.misc);
        }
        if (mode != CpuMode::unknown) {
            text_ += " (";
            text_ += cpu_mode_name(mode);
            text_ += ')';
        }
        TextFields visit(text_);
        if (time) visit("time", *time);
        const auto type = record.type();
        const bool is_of_event =
            type == RecordType::sample || type == RecordType::stat || type == RecordType::event_update;
        if (event != nullptr && is_of_event) {
            text_ += " event ";
            text_ += shown_name(*event);
        }
        fields(visit);
    }

    // Returns the name of the event as it is shown. Records of a few events take turns.
    const std::string& shown_name(const Event& event) {
        auto& recent = names_[reinterpret_cast<std::uintptr_t>(&event) / sizeof(Event) % names_.size()];
        if (recent.first != &event) recent = {&event, event.name.empty() ? "-" : shown(event.name)};
        return recent.second;
    }

    bool json_;
    const Sink& sink_;
    JsonStream stream_;
    CompactJson writer_;
    std::string text_;
    std::array<std::pair<const Event*, std::string>, 16> names_;  // of recent events, which stay where they are
};

}  // namespace perfdata::tool
