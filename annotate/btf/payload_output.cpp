// SPDX-License-Identifier: MIT
#include "payload_output.hpp"

#include <fmt/format.h>
#include <string_view>

#include "format/words.hpp"
#include "value_text.hpp"

namespace perfdata {
namespace {

std::string_view plural_s(std::uint64_t count) {
    return count == 1 ? "" : "s";
}

// how_to_choose(names) says how to choose among several types that fit. `names`: how many --bpf-output-type named.
// Programs may define one name in several ways.
std::string_view how_to_choose(std::size_t names) {
    return names == 0   ? "choose one with --bpf-output-type"
           : names == 1 ? "choose the BTF of one program with --btf"
                        : "choose only one of them";
}

// list_of(names, all) returns "struct a, struct b and 3 more".
std::string list_of(const std::vector<std::string>& names, std::uint64_t all) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + shown(name);
    if (all > names.size()) text += fmt::format(" and {} more", all - names.size());
    return text;
}

// remarks_on(...) returns what the value itself does not show: " [4 bytes of padding behind it]".
std::string remarks_on(const PayloadType& type, std::size_t raw_bytes, const ValueNotes& notes) {
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view one, std::string_view several) {
        if (count != 0) text += fmt::format(" [{} {}]", count, count == 1 ? one : several);
    };
    if (!notes.flexible) add(type.tail_padding, "byte of padding at its end", "bytes of padding at its end");
    if (type.bytes > raw_bytes) {
        text += fmt::format(" [the payload has {} of its {} bytes]", raw_bytes, type.bytes);
    } else if (PayloadTypes::fits(type.bytes, raw_bytes)) {
        add(raw_bytes - type.bytes, "byte of padding behind it", "bytes of padding behind it");
    } else if (!notes.flexible) {
        add(raw_bytes - type.bytes, "more byte behind it", "more bytes behind it");
    }
    add(notes.behind_nul, "byte behind a NUL not shown", "bytes behind a NUL not shown");
    add(notes.beyond_payload, "value beyond the payload", "values beyond the payload");
    add(notes.beyond_record, "value outside of its struct", "values outside of their structs");
    add(notes.untyped, "value of a type that BTF does not have", "values of types that BTF does not have");
    add(notes.too_deep, "value nested too deep", "values nested too deep");
    if (notes.cut) text += " [the rest has too many values for its size]";
    return text;
}

}  // namespace

const PayloadType& PayloadOutput::choose(const RawPayload& payload) {
    const auto& type = types_->of(payload.raw.size(), payload.btf);
    if (type.types != nullptr) return type;
    if (type.fitting == 0) {
        ++unfitting_;
    } else if (unclear_.size() < most_unclear || unclear_.contains(payload.raw.size())) {
        auto& unclear = unclear_[payload.raw.size()];
        if (unclear.payloads++ == 0) {
            unclear.fitting = type.fitting;
            unclear.candidates = type.candidates;
        }
    } else {
        ++more_unclear_;
    }
    return type;
}

bool PayloadOutput::append(std::string& text, const RawPayload& payload) {
    const auto& type = choose(payload);
    if (type.types == nullptr) return false;
    text += printable(type.name);
    text += ' ';
    ValueText sink(text);
    const auto notes = walk_value(*type.types, type.id, payload.raw, payload.order, sink);
    if (type.guessed) text += " (guessed by size)";
    text += remarks_on(type, payload.raw.size(), notes);
    if (!notes.whole()) ++partial_;
    return true;
}

void PayloadOutput::write(CompactJson& writer, const RawPayload& payload) {
    const auto& type = choose(payload);
    if (type.types == nullptr && type.fitting == 0) return;
    const auto number = [&](std::string_view name, std::uint64_t value) {
        if (value == 0) return;
        writer.text(name);
        writer.Uint64(value);
    };
    writer.text("bpf_output");
    writer.StartObject();
    writer.text("type");
    if (type.types == nullptr) {
        writer.Null();
        writer.text("candidates");
        writer.StartArray();
        for (const auto& name : type.candidates) writer.text(name);
        writer.EndArray();
        number("candidates_left_out", type.fitting - type.candidates.size());
        writer.EndObject();
        return;
    }
    writer.text(type.name);
    writer.text("guessed");
    writer.Bool(type.guessed);
    writer.text("size");
    writer.Uint64(type.bytes);
    writer.text("value");
    ValueJson sink(writer);
    const auto notes = walk_value(*type.types, type.id, payload.raw, payload.order, sink);
    if (type.bytes < payload.raw.size() && !notes.flexible) number("bytes_behind", payload.raw.size() - type.bytes);
    if (!notes.flexible) number("tail_padding", type.tail_padding);
    number("bytes_behind_nul", notes.behind_nul);
    number("values_beyond_payload", notes.beyond_payload);
    number("values_outside", notes.beyond_record);
    number("values_untyped", notes.untyped);
    number("values_too_deep", notes.too_deep);
    if (notes.cut) {
        writer.text("cut");
        writer.Bool(true);
    }
    writer.EndObject();
    if (!notes.whole()) ++partial_;
}

std::vector<std::string> PayloadOutput::notes() const {
    std::vector<std::string> notes;
    for (const auto& [bytes, unclear] : unclear_) {
        notes.push_back(
            fmt::format("{} payload{} of BPF programs in {} bytes of RAW {} shown as bytes, for several {} "
                        "have that size: {}; {}",
                        unclear.payloads, plural_s(unclear.payloads), bytes, unclear.payloads == 1 ? "is" : "are",
                        types_->names() == 0 ? "types" : "of the types of --bpf-output-type",
                        list_of(unclear.candidates, unclear.fitting), how_to_choose(types_->names())));
    }
    if (more_unclear_ != 0) {
        notes.push_back(fmt::format("{} payload{} of other sizes, likewise", more_unclear_, plural_s(more_unclear_)));
    }
    if (unfitting_ != 0) {
        notes.push_back(
            fmt::format("{} payload{} of BPF programs {} shown as bytes: {}", unfitting_, plural_s(unfitting_),
                        unfitting_ == 1 ? "is" : "are",
                        types_->names() != 0 ? "none of the types of --bpf-output-type has that size"
                        : types_->has_types()
                            ? "no struct in their BTF has that size (--bpf-output-type chooses a type, --btf its file)"
                            : "the recording has no BTF of them (--btf gives a file with it)"));
    }
    if (partial_ != 0) {
        notes.push_back(fmt::format("{} payload{} of BPF programs {} not match {} type: what lacks is said behind {}",
                                    partial_, plural_s(partial_), partial_ == 1 ? "does" : "do",
                                    partial_ == 1 ? "its" : "their", partial_ == 1 ? "it" : "them"));
    }
    for (const auto& problem : types_->problems()) notes.push_back(problem.message());
    return notes;
}

}  // namespace perfdata
