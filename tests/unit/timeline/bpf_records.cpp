// SPDX-License-Identifier: MIT
// The records about BPF code one by one.
#include "perfdata/timeline/bpf_records.hpp"

#include <string>
#include <utility>
#include <vector>

#include "perfdata/wire/record/bpf_metadata.hpp"

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Program& recorded_program() {
    static const Program one{5, 0x55, {{0x1400, 0x80, "main", 0x44}}};
    return one;
}

Blob metadata_record(std::endian order, std::string_view program, std::uint64_t count,
                     const std::vector<std::pair<std::string, std::string>>& entries) {
    Writer body(order);
    body.text(program).zeros(BpfMetadata::name_bytes - program.size()).u64(count);
    for (const auto& [key, value] : entries) {
        body.text(key).zeros(BpfMetadata::key_bytes - key.size());
        body.text(value).zeros(BpfMetadata::entry_bytes - BpfMetadata::key_bytes - value.size());
    }
    Writer record(order);
    record.u32(static_cast<std::uint32_t>(RecordType::bpf_metadata)).u16(0);
    record.u16(static_cast<std::uint16_t>(RecordHeader::bytes + body.size())).bytes(body.blob());
    return record.blob();
}

BpfRecords records_of(Scene& scene, const Limits& limits = {}, std::size_t problems = 0) {
    const auto recording = scene.open({.limits = limits});
    BpfRecords records;
    const auto timeline = Timeline::build(recording, {.stop = {}, .progress = {}, .bpf_records = &records});
    REQUIRE(timeline);
    CHECK(timeline->completeness().diagnostics.count() == problems);
    return records;
}

std::string in_words(const BpfChange& change) {
    constexpr std::string_view kinds[] = {"load", "unload", "registered", "unregistered"};
    return std::to_string(change.time.nanoseconds) + " " + std::string(kinds[static_cast<std::size_t>(change.kind)]) +
           " " + std::to_string(change.id.value) + " " + std::to_string(change.range.begin.value) + " " +
           std::string(change.symbol);
}

}  // namespace

TEST_CASE("Records about BPF code are kept in order of time, those before the recording first", "[timeline][records]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    scene.loaded(live(200), recorded_program()).unloaded(live(300), recorded_program());
    scene.symbol({}, 0x9000, 4096, "bpf_dispatcher_xdp").symbol(live(250), 0x8000, 16, "kprobe_insn_page", 0, 2);
    scene.event(live(100), BpfEvent::Kind::unload, 0, 0x77);
    const auto records = records_of(scene);
    std::vector<std::string> words;
    for (const auto& change : records.changes()) words.push_back(in_words(change));
    CHECK(words == std::vector<std::string>{"0 registered 0 36864 bpf_dispatcher_xdp", "100 unload 0 0 ",
                                            "199 registered 0 5120 bpf_prog_0000000000000055_main", "200 load 5 0 ",
                                            "299 unregistered 0 5120 bpf_prog_0000000000000055_main",
                                            "300 unload 5 0 "});
    CHECK(records.changes()[3].tag == tag_of(0x55));
    CHECK(records.changes()[2].range.size == 0x80);
}

TEST_CASE("BPF_METADATA is kept with its keys and values", "[timeline][records]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    scene.add(metadata_record(order, "bpf_prog_44_x", 2, {{"author", "\"me\""}, {"revision", "7"}}));
    const auto records = records_of(scene);
    REQUIRE(records.variables().size() == 1);
    const auto& one = records.variables()[0];
    CHECK(one.program == "bpf_prog_44_x");
    REQUIRE(one.entries.size() == 2);
    CHECK(one.entries[0] == std::pair<std::string_view, std::string_view>{"author", "\"me\""});
    CHECK(one.entries[1] == std::pair<std::string_view, std::string_view>{"revision", "7"});
}

TEST_CASE("Beyond the limit records about BPF code are left out, with one diagnostic", "[timeline][records]") {
    Scene scene;
    scene.add(metadata_record(std::endian::little, "p", 1, {{"k", "v"}}));
    for (std::uint64_t time = 1; time < 9; ++time) scene.event(live(time), BpfEvent::Kind::unload, 1, 1);
    Limits limits;
    limits.code_versions = 4;
    // One diagnostic is the timeline's own.
    const auto records = records_of(scene, limits, 2);
    CHECK(records.variables().size() == 1);
    CHECK(records.changes().size() == 2);
}
