// SPDX-License-Identifier: MIT
#include "script_json.hpp"

#include <string_view>
#include <utility>

#include "format/words.hpp"
#include "script_trace_names.hpp"

namespace perfdata {

void ScriptJson::member(std::string_view name, std::string_view value) {
    writer_.text(name);
    writer_.text(value);
}
void ScriptJson::member(std::string_view name, std::uint64_t value) {
    writer_.text(name);
    writer_.Uint64(value);
}

void ScriptJson::id(std::string_view name, std::uint32_t value) {
    writer_.text(name);
    writer_.Int(signed_id(value));
}

// place(number) writes members for what is known only.
void ScriptJson::place(std::uint32_t number) {
    const auto& name = places_.name(number);
    if (!name.symbol.empty()) {
        if (name.inlined) {
            // A chain may have very many of them, all with one long name.
            member("symbol", InLine(name.symbol));
            writer_.text("inlined");
            writer_.Bool(true);
        } else {
            member("symbol", Shortened(name.symbol));
            member("offset", name.offset);
        }
    }
    if (!name.object.empty()) {
        member("object", Shortened(name.object));
        if (name.symbol.empty()) member("object_offset", name.offset);
    }
    member("kind", to_string(name.kind));
}

void ScriptJson::write(const ScriptItem& item) {
    writer_.Reset(stream_);
    writer_.StartObject();
    if (item.time) member("time", seconds(*item.time));
    member("event", Shortened(item.event.name));
    member("comm", Shortened(item.comm));
    if (item.pid) id("pid", item.pid->value);
    if (item.tid) id("tid", item.tid->value);
    if (item.cpu && signed_id(*item.cpu) >= 0) member("cpu", *item.cpu);
    member("period", item.period);
    if (item.ip) {
        member("ip", hex(*item.ip));
        place(item.place);
    }
    if (item.has_chain) {
        writer_.text("callchain");
        writer_.StartArray();
        std::uint32_t left_out = 0;
        for (const auto number : item.chain) {
            if (const auto count = ScriptPlaces::left_out_count(number); count != 0) {
                left_out = count;
                continue;
            }
            writer_.StartObject();
            member("ip", hex(Address{places_.place(number).shown}));
            place(number);
            if (left_out != 0) member("inlined_left_out", std::uint64_t{std::exchange(left_out, 0)});
            writer_.EndObject();
        }
        writer_.EndArray();
        if (!item.whole_chain) {
            writer_.text("callchain_whole");
            writer_.Bool(false);
        }
    }
    if (item.stack_end) {
        member("stack_end", to_string(*item.stack_end));
        if (*item.stack_end != StackEnd::bottom && *item.stack_end != StackEnd::frame_limit) {
            writer_.text("stack_unwound");
            writer_.Bool(false);
        }
    }
    if (item.layout.shape().has(SamplePart::raw)) {
        if (const auto raw = item.sample().raw()) {
            if (item.event.attr.type == attr_type::tracepoint) {
                std::string trace;
                ScriptTraceNames names(places_, item.moment);
                formats_.append(trace, item.event.attr.config, *raw, &names);
                member("trace", trace);
            }
            writer_.text("raw");
            writer_.hex(*raw);
            if (payloads_ != nullptr && item.is_bpf_output()) {
                payloads_->write(writer_, {*raw, item.record.order, item.btf});
            }
        }
    }
    writer_.EndObject();
    stream_.Put('\n');
}

}  // namespace perfdata
