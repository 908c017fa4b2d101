// SPDX-License-Identifier: MIT
// What a profile says of its recording, and its file.
#include <span>
#include <string>

#include "perfdata/recording/source.hpp"

#include "catch.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/shared_facts.hpp"
#include "recording/unpack.hpp"
#include "stored/content_hash.hpp"
#include "stored/profile_writer.hpp"
#include "support/files.hpp"
#include "symbols/bundle/sha256.hpp"
#include "unit/annotate/calls_scene.hpp"
#include "unit/annotate/made_profile.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Bytes profile_bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
}

std::string hex_of_hash(const std::string& hash) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : hash) {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 0xf];
    }
    return text;
}

std::string packed_profile(const stored::Model& model) {
    std::string bytes;
    write_profile_file(model, [&](std::string_view part) { bytes += part; });
    return bytes;
}

}  // namespace

TEST_CASE("The hash of a recording is that of its files with their names and sizes", "[annotate][stored]") {
    Calls calls;
    const auto blob = calls.sample("ab").scene().build();
    const auto recording = Recording::from_memory(blob).value();
    Sha256 expected;
    std::string size;
    for (unsigned at = 0; at < 8; ++at) size += static_cast<char>(blob.size() >> 8 * at & 0xff);
    expected.add(profile_bytes(std::string("data", 5)));  // with a zero at its end
    expected.add(profile_bytes(size));
    expected.add(blob);
    const auto hash = content_hash(recording).value();
    CHECK(hash.size() == 32);
    CHECK(hex_of_hash(hash) == expected.hex());

    auto other = blob;
    other.back() ^= std::byte{1};
    CHECK(content_hash(Recording::from_memory(other).value()).value() != hash);
    const auto stopped = content_hash(recording, {StopToken([] { return true; }), {}});
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("A profile has the facts of its recording", "[annotate][stored]") {
    Calls calls;
    calls.sample("ab", 3);
    constexpr auto order = std::endian::little;
    calls.scene().feature(Feature::arch, feature_string(order, "x86_64"));
    calls.scene().feature(Feature::hostname, feature_string(order, "here"));
    calls.scene().feature(Feature::cmdline, feature_strings(order, {"perf", "record"}));
    const AnnotatedScene scene(calls.scene());
    const MadeProfile made(scene);
    const auto& facts = made.model.facts;
    CHECK(facts.keeps == stored::all_dimensions);
    CHECK(made.text(facts.arch) == "x86_64");
    CHECK(made.text(facts.code_arch) == "x86_64");
    CHECK(!facts.big_endian);
    CHECK(!facts.merged);
    CHECK(facts.max_stack == SampleCountOptions().max_stack);
    const auto& seen = scene.timeline.completeness();
    CHECK(facts.bytes_total == seen.bytes.total);
    CHECK(facts.bytes_records == seen.bytes.records);
    CHECK(facts.records.size() == seen.records.size());
    CHECK(!facts.has_kernel_names);
    CHECK(facts.name_problems.size() == scene.symbolizer.problems().size());
    REQUIRE(made.model.sources.size() == 1);
    const auto& source = made.model.sources[0];
    CHECK(source.content == content_hash(scene.recording).value());
    CHECK(source.times == 1);
    CHECK(made.text(source.hostname) == "here");
    REQUIRE(source.command_line.size() == 2);
    CHECK(made.text(source.command_line[1]) == "record");
    const auto& event = made.model.events[0];
    CHECK(event.first_time == 101);
    CHECK(event.last_time == 103);
    CHECK(stored::decode_attr(event.attr).sample_type == scene.recording.events().events()[0].attr.sample_type);
}

TEST_CASE("A profile that is written is read as it was, and is the same each time", "[annotate][stored][fixtures]") {
    for (const auto* name : {"bpf/bpf_turns.data", "pokes/text_pokes.data", "records/group_chains.data"}) {
        const AnnotatedScene real(Recording::open(fixture(name)).value());
        ProfileMakerOptions options;
        options.jobs = 3;
        const MadeProfile made(real, options);
        CHECK(stored::canonical(made.model) == made.model);
        const auto packed = packed_profile(made.model);
        CHECK(packed == packed_profile(MadeProfile(real).model));
        REQUIRE(packed.size() > 18);
        CHECK(packed.substr(4, 4) == std::string(4, '\0'));  // no time
        std::string plain;
        const auto broken = unpack_stream(Packing::gzip, read_from(profile_bytes(packed)), [&](Bytes part) {
            plain += as_text(part);
            return true;
        });
        REQUIRE_FALSE(broken);
        CHECK(stored::is_profile(profile_bytes(plain).first(32)));
        const auto read = stored::read_profile(*memory_source(profile_bytes(plain)), name, {});
        REQUIRE(read);
        CHECK(*read == made.model);
    }
}

TEST_CASE("Making a profile stops when it is asked to", "[annotate][stored][stop]") {
    const AnnotatedScene real(Recording::open(fixture("bpf/bpf_many.data")).value());
    for (const std::size_t after : {0u, 5u, 50u, 200u}) {
        std::size_t asked = 0;
        ProfileMakerOptions options;
        options.watch.stop = StopToken([&] { return ++asked > after; });
        const auto stopped = make_profile(real.recording, real.symbolizer, options);
        REQUIRE(!stopped);
        CHECK(stopped.error().code == ErrorCode::cancelled);
    }
}
