// SPDX-License-Identifier: MIT
// The same records as a file, a pipe stream and a directory.
#include <filesystem>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/files.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto identified_sample = sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::identifier;

Attr sampled(std::uint64_t config) {
    Attr attr;
    attr.type = 1;
    attr.size = 128;
    attr.config = config;
    attr.sample_type = identified_sample;
    attr.flags = std::uint64_t{1} << 18;
    return attr;
}

// Two samples of two events and a LOST record of the first.
Blob records(std::endian order) {
    SampleValues first;
    first.identifier = 11;
    SampleValues second;
    second.identifier = 22;
    second.ip = 0x4000;
    const RecordFrame with_trailer{order, trailer(order, identified_sample, first), 0};
    return joined({sample(identified_sample, first, RecordFrame{order, {}, 0}),
                   sample(identified_sample, second, RecordFrame{order, {}, 0}),
                   encode(Lost{EventId{11}, 3}, with_trailer)});
}

Blob header_attr(std::endian order, const Attr& attr, std::uint64_t id) {
    Writer body(order);
    write_attr(body, attr, 128);
    body.u64(id);
    return record(RecordType::header_attr, RecordFrame{order, {}, 0}, body.take());
}

Blob header_feature(std::endian order, Feature number, const Blob& payload) {
    return record(RecordType::header_feature, RecordFrame{order, {}, 0},
                  joined({Writer(order).u64(static_cast<std::uint64_t>(number)).take(), payload}));
}

Blob pipe_header(std::endian order) {
    return Writer(order).text(order == std::endian::little ? "PERFILE2" : "2ELIFREP").u64(16).take();
}

struct ContainerSeen {
    std::vector<std::pair<std::string, std::uint64_t>> samples;  // event, ip
    Completeness completeness;
};

ContainerSeen read(const Recording& recording) {
    ContainerSeen seen;
    const auto visit = [&](const RecordContext& context, const auto& record) {
        if constexpr (requires { record.ip(); }) {
            seen.samples.emplace_back(recording.events().events()[context.event].name, record.ip()->value);
        }
    };
    REQUIRE(walk(recording, seen.completeness, visit));
    return seen;
}

}  // namespace

TEST_CASE("A pipe stream has its events and features in records", "[recording][containers]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Tracing data follow their record; an EVENT_UPDATE names the second event.
    const auto tracing =
        joined({record(RecordType::header_tracing_data, RecordFrame{order, {}, 0}, Writer(order).u32(16).u32(0).take()),
                Blob(16, std::byte{0xee})});
    const auto update = record(RecordType::event_update, RecordFrame{order, {}, 0},
                               Writer(order).u64(2).u64(22).text("renamed").zeros(1).take());
    const auto pipe =
        joined({pipe_header(order), header_attr(order, sampled(0), 11), header_attr(order, sampled(2), 22),
                header_feature(order, Feature::arch, feature_string(order, "riscv64")),
                header_feature(order, Feature::cln_size, {}), update, tracing, records(order)});
    const auto recording = Recording::from_memory(pipe);
    REQUIRE(recording);
    CHECK(recording->header().pipe);
    CHECK_FALSE(recording->interrupted());
    CHECK(recording->arch() == "riscv64");
    REQUIRE(recording->events().events().size() == 2);
    CHECK(recording->events().events()[0].name == "cpu-clock:HG");
    CHECK(recording->events().events()[1].name == "renamed");
    CHECK(recording->events().events()[1].ids == std::vector<EventId>{{22}});
    const auto seen = read(*recording);
    CHECK(seen.samples == decltype(seen.samples){{"cpu-clock:HG", 0xffffffff81000102}, {"renamed", 0x4000}});
    CHECK(seen.completeness.lost_events == 3);
    const auto& bytes = seen.completeness.bytes;
    CHECK(bytes.total == pipe.size());
    CHECK(bytes.outside_records == 16 + 16);
    CHECK(bytes.unread == 0);
}

TEST_CASE("The features of a pipe stream can be read, tracing data among them", "[recording][containers]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto data = blob_of("what lies behind");
    const auto tracing =
        joined({record(RecordType::header_tracing_data, RecordFrame{order, {}, 0}, Writer(order).u32(16).u32(0).take()),
                data});
    const auto arch = feature_string(order, "riscv64");
    const auto pipe =
        joined({pipe_header(order), header_attr(order, sampled(0), 11), header_feature(order, Feature::arch, arch),
                tracing, header_feature(order, Feature::arch, feature_string(order, "again")), records(order)});
    const auto recording = Recording::from_memory(pipe);
    REQUIRE(recording);
    REQUIRE(recording->features().size() == 2);
    // Sorted by number, as in a file's table.
    CHECK(recording->features()[0].number == static_cast<unsigned>(Feature::tracing_data));
    CHECK(recording->features()[0].inside_file);
    CHECK(recording->features()[1].number == static_cast<unsigned>(Feature::arch));
    const auto read_arch = recording->read_feature(Feature::arch);
    REQUIRE(read_arch);
    CHECK(*read_arch == arch);
    const auto read_tracing = recording->read_feature(recording->features()[0]);
    REQUIRE(read_tracing);
    CHECK(*read_tracing == data);
    // The second ARCH is reported and ignored.
    CHECK(recording->arch() == "riscv64");
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::malformed);
}

TEST_CASE("Header records behind the first samples of a pipe are told", "[recording][containers]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto late = GENERATE(0, 1, 2, 3);
    const auto begin = joined({pipe_header(order), header_attr(order, sampled(0), 11), records(order)});
    Blob behind;
    std::string_view name;
    switch (late) {
        case 0: behind = header_attr(order, sampled(2), 22), name = "record HEADER_ATTR"; break;
        case 1:
            behind = header_feature(order, Feature::arch, feature_string(order, "riscv64"));
            name = "record HEADER_FEATURE";
            break;
        case 2:
            behind =
                record(RecordType::header_tracing_data, RecordFrame{order, {}, 0}, Writer(order).u32(0).u32(0).take());
            name = "record HEADER_TRACING_DATA";
            break;
        case 3: behind = header_feature(order, Feature::cln_size, {}); break;  // the mark behind the last feature
    }
    const auto pipe = joined({begin, behind});
    const auto recording = Recording::from_memory(pipe);
    REQUIRE(recording);
    const auto seen = read(*recording);
    if (name.empty()) {
        CHECK(seen.completeness.lossless());
        return;
    }
    CHECK_FALSE(seen.completeness.lossless());
    REQUIRE(seen.completeness.diagnostics.count() == 1);
    const auto& told = seen.completeness.diagnostics.kept()[0];
    CHECK(told.code == ErrorCode::malformed);
    CHECK(told.offset == begin.size());
    CHECK(told.where == name);
}

TEST_CASE("Tracing data that go beyond the end of a pipe are a feature that cannot be read",
          "[recording][containers]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto pipe = joined(
        {pipe_header(order), header_attr(order, sampled(0), 11),
         record(RecordType::header_tracing_data, RecordFrame{order, {}, 0}, Writer(order).u32(1000).u32(0).take())});
    const auto recording = Recording::from_memory(pipe);
    REQUIRE(recording);
    REQUIRE(recording->features().size() == 1);
    CHECK_FALSE(recording->features()[0].inside_file);
    const auto content = recording->read_feature(Feature::tracing_data);
    REQUIRE_FALSE(content);
    CHECK(content.error().code == ErrorCode::truncated);
}

TEST_CASE("A pipe stream without events is read as far as it goes", "[recording][containers]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto recording = Recording::from_memory(
        joined({pipe_header(order), header_feature(order, Feature::arch, feature_string(order, "riscv64"))}));
    REQUIRE(recording);
    CHECK(recording->events().empty());
    CHECK(recording->arch() == "riscv64");
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].where == "pipe stream");
}

TEST_CASE("A directory recording is its data file and all numbered ones", "[recording][containers]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    RecordingBuilder builder(order);
    builder.event(sampled(0), {11}).event(sampled(2), {22}).add(records(order));
    const TempDir directory;
    directory.write("data", builder.build());
    directory.write("data.0", records(order));
    for (int number = 1; number <= 10; ++number) directory.write("data." + std::to_string(number), {});
    directory.write("data.10", records(order));
    directory.write("data.old", Blob(100, std::byte{0xff}));
    const auto recording = Recording::open(directory.path());
    REQUIRE(recording);
    const auto seen = read(*recording);
    CHECK(seen.samples.size() == 6);
    CHECK(seen.completeness.lost_events == 9);
    CHECK(seen.completeness.diagnostics.empty());
    CHECK(seen.completeness.bytes.total == recording->bytes());
    CHECK(seen.completeness.bytes.unread == 0);
}

TEST_CASE("A packed member of a directory that breaks off is told", "[recording][containers]") {
    constexpr auto order = std::endian::little;
    RecordingBuilder builder(order);
    builder.event(sampled(0), {11}).event(sampled(2), {22}).add(records(order));
    Blob many;
    for (int times = 0; times < 200; ++times) many = joined({many, records(order)});
    const auto compression = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    auto packed = compressed(compression, many);
    const TempDir directory;
    directory.write("data", builder.build());
    const bool whole = GENERATE(true, false);
    if (!whole) packed.resize(packed.size() / 2);
    directory.write("data.0", packed);
    const auto recording = Recording::open(directory.path());
    REQUIRE(recording);
    const auto seen = read(*recording);
    CHECK((seen.samples.size() == 402) == whole);
    CHECK(recording->diagnostics().empty() == whole);
    if (whole || recording->diagnostics().empty()) return;
    CHECK(recording->diagnostics().kept()[0].where.find("data.0") != std::string::npos);
}

TEST_CASE("What is no regular file is not read as part of a directory", "[recording][containers]") {
    RecordingBuilder builder;
    builder.event(sampled(0), {11}).add(records(std::endian::little));
    const TempDir directory;
    directory.write("data", builder.build());
    std::filesystem::create_symlink("/dev/zero", std::filesystem::path(directory.path()) / "data.0");
    const auto recording = Recording::open(directory.path());
    REQUIRE(recording);
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].detail == "not a regular file");
}

TEST_CASE("Files of a directory that are not there are told", "[recording][containers]") {
    RecordingBuilder builder;
    builder.event(sampled(0), {11}).add(records(std::endian::little));
    const TempDir directory;
    directory.write("data", builder.build());
    directory.write("data.1", records(std::endian::little));
    directory.write("data.4", records(std::endian::little));
    const auto recording = Recording::open(directory.path());
    REQUIRE(recording);
    REQUIRE(recording->diagnostics().count() == 1);
    const auto& told = recording->diagnostics().kept()[0];
    CHECK(told.code == ErrorCode::missing);
    CHECK(told.where == directory.path());
    CHECK(told.detail == "3 of its files before data.4 are not there");
    CHECK(read(*recording).samples.size() == 6);
}
