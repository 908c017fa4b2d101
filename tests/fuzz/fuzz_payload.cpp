// SPDX-License-Identifier: MIT
// Fuzz target: BTF and payloads. The input is a byte of choices, a u16 size and the payload, and a BTF blob. Each type
// of the blob is shown, as text and as JSON. The output must not exceed what the payload can justify, and JSON must be
// complete.
#include <cstddef>
#include <cstdint>
#include <rapidjson/reader.h>
#include <string>
#include <vector>

#include "btf/payload_output.hpp"
#include "btf/value_text.hpp"
#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::uint32_t most_shown_types = 64;

// Each byte of room becomes a few bytes of text at most: see ValueWalk.
std::size_t most_output(std::size_t payload) {
    return std::size_t{8} * (8192 + 64 * payload) + 4096;
}

bool is_json(const std::string& text) {
    rapidjson::StringStream in(text.c_str());
    rapidjson::Reader reader;
    rapidjson::BaseReaderHandler<> nobody;
    return !reader.Parse<rapidjson::kParseIterativeFlag>(in, nobody).IsError();
}

void show_each(const std::string& blob, Bytes payload, AnyOrder order) {
    const auto types = TypeTable::parse(as_bytes(blob), "crafted");
    if (!types) return require(!types.error().message().empty());
    for (std::uint32_t id = 0; id <= types->last() && id < most_shown_types; ++id) {
        std::string text, json;
        ValueText as_text(text);
        const auto notes = walk_value(*types, id, payload, order, as_text);
        require(!text.empty() && text.size() <= most_output(payload.size()));
        const Sink sink = [&](std::string_view part) { json += part; };
        JsonStream stream(sink);
        CompactJson writer(stream);
        ValueJson as_json(writer);
        const auto again = walk_value(*types, id, payload, order, as_json);
        stream.flush();
        require(json.size() <= most_output(payload.size()) && is_json(json));
        require(notes.cut == again.cut && notes.beyond_payload == again.beyond_payload);
    }
}

void choose(const std::string& blob, const RawPayload& payload, const std::vector<std::string>& names) {
    auto types = PayloadTypes::read_file(blob, "crafted", {.names = names});
    if (!types) return require(!types.error().message().empty());
    PayloadOutput output(*types);
    std::string text;
    const bool typed = output.append(text, payload);
    require(typed != text.empty());
    for (const auto& note : output.notes()) require(!note.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const auto order = AnyOrder((choices.u8() & 1) != 0 ? std::endian::big : std::endian::little);
    const auto bytes = choices.bytes(choices.u16());
    // A copy of its own, to detect reads beyond its end.
    const std::vector<std::byte> payload(bytes.begin(), bytes.end());
    const std::string blob(as_text(choices.rest()));
    show_each(blob, payload, order);
    choose(blob, {payload, order, {}}, {});
    choose(blob, {payload, order, {}}, {"event"});
    choose(blob, {payload, order, {}}, {"event", "struct packet"});
    return 0;
}
