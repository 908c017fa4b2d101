// SPDX-License-Identifier: MIT
#include "script_json.hpp"

#include <string_view>

#include "words.hpp"

namespace perfdata {
namespace {

template <class Writer>
void member(Writer& writer, std::string_view name, std::string_view value) {
    writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    const auto valid = utf8(value);
    writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}
template <class Writer>
void member(Writer& writer, std::string_view name, std::uint64_t value) {
    writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    writer.Uint64(value);
}

}  // namespace

// place(writer, number): what is not known has no member.
void ScriptJson::place(Writer& writer, std::uint32_t number) {
    const auto& name = places_.name(number);
    if (!name.symbol.empty()) {
        member(writer, "symbol", name.symbol);
        member(writer, "offset", name.offset);
    }
    if (!name.object.empty()) {
        member(writer, "object", name.object);
        if (name.symbol.empty()) member(writer, "object_offset", name.offset);
    }
    member(writer, "kind", to_string(name.kind));
}

void ScriptJson::append(std::string& text, const ScriptItem& item) {
    buffer_.Clear();
    Writer writer(buffer_);
    writer.StartObject();
    if (item.time) member(writer, "time", seconds(*item.time));
    member(writer, "event", item.event.name);
    member(writer, "comm", item.comm);
    if (item.pid) member(writer, "pid", item.pid->value);
    if (item.tid) member(writer, "tid", item.tid->value);
    if (item.cpu) member(writer, "cpu", *item.cpu);
    member(writer, "period", item.period);
    if (item.ip) {
        member(writer, "ip", hex(*item.ip));
        place(writer, item.place);
    }
    if (item.has_chain) {
        writer.Key("callchain");
        writer.StartArray();
        for (const auto number : item.chain) {
            writer.StartObject();
            member(writer, "ip", hex(Address{places_.place(number).shown}));
            place(writer, number);
            writer.EndObject();
        }
        writer.EndArray();
        if (!item.whole_chain) {
            writer.Key("callchain_whole");
            writer.Bool(false);
        }
    }
    if (item.layout.shape().has(SamplePart::raw)) {
        if (const auto raw = item.sample().details().raw()) {
            if (item.event.attr.type == attr_type::tracepoint) {
                std::string trace;
                formats_.append(trace, item.event.attr.config, *raw);
                member(writer, "trace", trace);
            }
            member(writer, "raw", hex_bytes(*raw));
        }
    }
    writer.EndObject();
    text.append(buffer_.GetString(), buffer_.GetSize());
    text += '\n';
}

}  // namespace perfdata
