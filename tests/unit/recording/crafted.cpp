// SPDX-License-Identifier: MIT
// The same records in every container that perf has ever written give the same events, records and samples.
#include "support/crafted.hpp"

#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "support/compressor.hpp"
#include "support/files.hpp"
#include "support/reading.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Recording open_memory(const Blob& file) {
    auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    return std::move(*recording);
}

// Content is everything that does not depend on the container.
struct Content {
    Lines events, records, in_time;
};

Content content_read(const Recording& recording) {
    const auto file = read_all(recording);
    CHECK(incompleteness(file, recording) == "");
    const auto time = read_all(recording, RecordOrder::time);
    CHECK(incompleteness(time, recording) == "");
    CHECK(std::ranges::is_sorted(time.times));
    Content content{event_lines(recording), file.records, time.records};
    return content;
}

Content as_plain_file(const Crafted& crafted) {
    const auto file = builder_of(crafted, all_records(crafted)).build();
    return content_read(open_memory(file));
}

void check_same(const Recording& recording, const Content& want) {
    const auto got = content_read(recording);
    CHECK(first_difference(got.events, want.events) == "");
    CHECK(first_difference(got.records, want.records) == "");
    CHECK(first_difference(got.in_time, want.in_time) == "");
}

// Removes names: they come from EVENT_DESC, and are invented without features.
Lines without_names(Lines lines) {
    for (auto& line : lines) line.erase(0, line.find("' "));
    return lines;
}

void check_same_but_names(const Recording& recording, const Content& want) {
    const auto got = content_read(recording);
    CHECK(first_difference(without_names(got.events), without_names(want.events)) == "");
    CHECK(first_difference(got.records, want.records) == "");
    CHECK(first_difference(got.in_time, want.in_time) == "");
}

constexpr std::uint64_t seeds = 2;

// COMPRESSED needs the unpacked size of a record.
Blob compression_feature(std::endian order) {
    return Writer(order).u32(0).u32(1).u32(1).u32(5).u32(528384).take();
}

}  // namespace

TEST_CASE("A crafted recording has all types of records and reads without a loss", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    std::map<std::uint32_t, std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto crafted = craft(seed, order);
        const auto file = builder_of(crafted, all_records(crafted)).build();
        const auto recording = open_memory(file);
        const auto reading = read_all(recording);
        CHECK(incompleteness(reading, recording) == "");
        CHECK(reading.records.size() == crafted.synthesized.size() + crafted.records.size() + crafted.plain.size());
        for (const auto& [type, counts] : reading.completeness.records) seen[type] += counts.decoded;
    }
    for (std::uint32_t type = 1; type <= 22; ++type) {
        CAPTURE(type);
        CHECK(seen[type] > 0);
    }
    // perf's own types, except those that only form a container.
    for (const auto type : {65u, 67u, 69u, 70u, 71u, 72u, 73u, 74u, 75u, 76u, 77u, 79u, 84u, 85u, 86u}) {
        CAPTURE(type);
        CHECK(seen[type] > 0);
    }
}

TEST_CASE("Big- and little-endian recordings of the same content read the same", "[recording][crafted]") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        const auto little = as_plain_file(craft(seed, std::endian::little));
        const auto big = as_plain_file(craft(seed, std::endian::big));
        CHECK(first_difference(big.events, little.events) == "");
        CHECK(first_difference(big.records, little.records) == "");
        CHECK(first_difference(big.in_time, little.in_time) == "");
    }
}

TEST_CASE("Where the sections of a file lie makes no difference", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        const auto crafted = craft(seed, order);
        const auto want = as_plain_file(crafted);
        const auto features = feature_lines(open_memory(builder_of(crafted, all_records(crafted)).build()));
        for (unsigned variant = 0; variant < 16; ++variant) {
            CAPTURE(variant);
            auto builder = builder_of(crafted, all_records(crafted));
            builder.layout.attrs_after_data = (variant & 1) != 0;
            builder.layout.features_backwards = (variant & 2) != 0;
            builder.layout.features_before_data = (variant & 4) != 0;
            builder.layout.bitmap_of_32_bit_words = (variant & 8) != 0;
            const auto file = builder.build();
            const auto recording = open_memory(file);
            check_same(recording, want);
            CHECK(first_difference(feature_lines(recording), features) == "");
        }
    }
}

TEST_CASE("Attrs of every size that perf has had, and of a later one, read the same", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t bytes = GENERATE(64u, 72u, 80u, 96u, 104u, 112u, 120u, 128u, 136u, 144u, 160u);
    CAPTURE(bytes);
    const auto crafted = craft(bytes, order, bytes);
    const auto file = builder_of(crafted, all_records(crafted)).build();
    const auto recording = open_memory(file);
    REQUIRE(recording.events().events().size() == crafted.events.size());
    for (std::size_t index = 0; index < crafted.events.size(); ++index) {
        const auto& got = recording.events().events()[index];
        const auto& want = crafted.events[index];
        CHECK(got.attr.size == bytes);
        CHECK(got.attr.sample_type == want.attr.sample_type);
        CHECK(got.attr.branch_sample_type == want.attr.branch_sample_type);
        CHECK(got.attr.sample_regs_user == want.attr.sample_regs_user);
        CHECK(got.attr.sample_regs_intr == want.attr.sample_regs_intr);
        CHECK(got.name == want.name);
        CHECK(got.ids.size() == want.ids.size());
    }
    const auto content = content_read(recording);
    CHECK(content.records.size() == crafted.synthesized.size() + crafted.records.size() + crafted.plain.size());
    const auto pipe = as_pipe(crafted, all_records(crafted));
    check_same(open_memory(pipe), content);
}

TEST_CASE("Headers of version 1 and of 72 bytes give the same records", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t bytes = GENERATE(64u, 72u, 80u, 96u, 104u);
    const auto crafted = craft(7, order, bytes);
    const auto want = as_plain_file(crafted);
    auto legacy = builder_of(crafted, all_records(crafted));
    legacy.layout.legacy = true;
    const auto first = legacy.build();
    const auto recording = open_memory(first);
    CHECK(recording.header().legacy);
    check_same(recording, want);

    for (const bool also_legacy : {false, true}) {
        auto old = builder_of(crafted, all_records(crafted), false);
        old.layout.header_size = 72;
        old.layout.legacy = also_legacy;
        const auto second = old.build();
        const auto ancient = open_memory(second);
        CHECK(ancient.features().empty());
        check_same_but_names(ancient, want);
    }
}

TEST_CASE("A recording that was never finished gives all its records", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto crafted = craft(8, order);
    const auto want = as_plain_file(crafted);
    auto builder = builder_of(crafted, all_records(crafted), false);
    const auto file = patched(builder.build(), order, header_field::data_size, std::uint64_t{0});
    const auto recording = open_memory(file);
    CHECK(recording.interrupted());
    const auto got = read_all(recording);
    CHECK(first_difference(got.records, want.records) == "");
    CHECK(got.completeness.diagnostics.empty());
    CHECK(got.completeness.bytes.unread == 0);
}

TEST_CASE("A pipe gives the same records as a file, and the same features", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        const auto crafted = craft(seed, order);
        const auto want = as_plain_file(crafted);
        const auto pipe = as_pipe(crafted, all_records(crafted));
        const auto recording = open_memory(pipe);
        check_same(recording, want);
        auto expected = feature_lines(open_memory(builder_of(crafted, all_records(crafted)).build()));
        // The flag-only features BRANCH_STACK and STAT never occur in a pipe.
        std::erase_if(expected, [](const std::string& line) {
            return line.starts_with("feature 15 ") || line.starts_with("feature 19 ");
        });
        CHECK(first_difference(feature_lines(recording), expected) == "");

        const TempDir directory;
        check_same(Recording::open(directory.write("pipe", pipe)).value(), want);
    }
}

TEST_CASE("Compressed records give the same records, in files and in pipes", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = GENERATE(RecordType::compressed, RecordType::compressed2);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        auto crafted = craft(seed, order);
        const auto want = as_plain_file(crafted);
        crafted.features[static_cast<unsigned>(Feature::compressed)] = compression_feature(order);
        Random random(seed);
        // Compress one half, as if the recorder had fallen back to plain records.
        const auto half = crafted.records.begin() + static_cast<std::ptrdiff_t>(crafted.records.size() / 2);
        const std::vector<Blob> first(crafted.records.begin(), half), second(half, crafted.records.end());
        const auto data =
            joined({Crafted::bytes_of(crafted.synthesized), packed(order, type, Crafted::bytes_of(first), random),
                    Crafted::bytes_of(second), Crafted::bytes_of(crafted.plain)});
        const auto file = builder_of(crafted, data).build();
        check_same(open_memory(file), want);
        const auto pipe = as_pipe(crafted, data);
        check_same(open_memory(pipe), want);
        const TempDir directory;
        check_same(Recording::open(directory.write("perf.data", file)).value(), want);
    }
}

TEST_CASE("A directory with a compressed stream in each file gives the same records", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool compress = GENERATE(false, true);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        auto crafted = craft(seed, order);
        auto want = as_plain_file(crafted);
        crafted.features[static_cast<unsigned>(Feature::compressed)] = compression_feature(order);
        crafted.features[static_cast<unsigned>(Feature::dir_format)] = Writer(order).u64(1).take();
        Random random(seed);
        std::vector<Blob> parts(4);
        for (const auto& one : crafted.records) {
            auto& part = parts[random.size(parts.size())];
            part.insert(part.end(), one.begin(), one.end());
        }
        const TempDir directory;
        directory.write(
            "data",
            builder_of(crafted, joined({Crafted::bytes_of(crafted.synthesized), Crafted::bytes_of(crafted.plain)}))
                .build());
        for (std::size_t index = 0; index < parts.size(); ++index) {
            directory.write("data." + std::to_string(index),
                            compress ? packed(order, RecordType::compressed, parts[index], random) : parts[index]);
        }
        const auto recording = Recording::open(directory.path()).value();
        auto got = content_read(recording);
        CHECK(first_difference(got.events, want.events) == "");
        std::ranges::sort(got.records);
        std::ranges::sort(want.records);
        CHECK(first_difference(got.records, want.records) == "");
        // In order of time, kernel records have fixed places; perf's own records do not.
        const auto kernel_only = [](Lines lines) {
            std::erase_if(lines, [](const std::string& line) { return line.find(" event ") == std::string::npos; });
            return lines;
        };
        CHECK(first_difference(kernel_only(got.in_time), kernel_only(want.in_time)) == "");
    }
}

TEST_CASE("Recordings that are compressed as a whole give the same records", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto compression = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    const auto crafted = craft(9, order);
    const auto want = as_plain_file(crafted);
    const TempDir directory;
    const auto file = builder_of(crafted, all_records(crafted)).build();
    check_same(Recording::open(directory.write("file", compressed(compression, file))).value(), want);
    const auto pipe = as_pipe(crafted, all_records(crafted));
    check_same(Recording::open(directory.write("pipe", compressed(compression, pipe))).value(), want);
}

TEST_CASE("A compressed stream cut anywhere gives the records before the cut", "[recording][crafted]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto crafted = craft(10, order);
    const auto want = as_plain_file(crafted);
    Random random(10);
    const auto data = packed(order, RecordType::compressed, Crafted::bytes_of(crafted.records), random);
    for (int round = 0; round < 50; ++round) {
        auto builder = builder_of(crafted, data, false);
        auto file = patched(builder.build(), order, header_field::data_size, std::uint64_t{0});
        const auto end = builder.places().data + random.below(data.size());
        file.resize(static_cast<std::size_t>(end));
        const auto recording = open_memory(file);
        const auto reading = read_all(recording);
        const auto& bytes = reading.completeness.bytes;
        CHECK(bytes.total == bytes.records + bytes.outside_records + bytes.unread);
        const auto first = static_cast<std::ptrdiff_t>(crafted.synthesized.size());
        const Lines before(want.records.begin() + first,
                           want.records.begin() + first + static_cast<std::ptrdiff_t>(reading.records.size()));
        CHECK(first_difference(reading.records, before) == "");
    }
}
