// SPDX-License-Identifier: MIT
// A recording's feature table, and the features that are read when it is opened.
#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "support/build.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

RecordingBuilder one_record(std::endian order) {
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip));
    builder.add(encode(Lost{{1}, 7}, {.order = order, .trailer = {}, .misc = 0}));
    return builder;
}

RecordingBuilder texts(std::endian order) {
    auto builder = one_record(order);
    builder.feature(Feature::hostname, feature_string(order, "host"));
    builder.feature(Feature::osrelease, feature_string(order, "6.1.0-56-cloud"));
    builder.feature(Feature::version, feature_string(order, "6.1.192"));
    builder.feature(Feature::arch, feature_string(order, "x86_64"));
    builder.feature(Feature::cpudesc, feature_string(order, "A CPU of some kind"));
    builder.feature(Feature::cmdline, feature_strings(order, {"/usr/bin/perf", "record", "-a"}));
    return builder;
}

void check_texts(const Recording& recording) {
    CHECK(recording.hostname() == "host");
    CHECK(recording.os_release() == "6.1.0-56-cloud");
    CHECK(recording.perf_version() == "6.1.192");
    CHECK(recording.arch() == "x86_64");
    CHECK(recording.cpu_description() == "A CPU of some kind");
    CHECK(recording.command_line() == std::vector<std::string>{"/usr/bin/perf", "record", "-a"});
}

std::vector<unsigned> numbers(const Recording& recording) {
    std::vector<unsigned> found;
    for (const auto& feature : recording.features()) found.push_back(feature.number);
    return found;
}

}  // namespace

TEST_CASE("The texts of a recording are each read from their own feature", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    check_texts(*recording);
    CHECK(recording->diagnostics().empty());
    CHECK(numbers(*recording) == std::vector<unsigned>{3, 4, 5, 6, 8, 11});
    for (const auto& feature : recording->features()) {
        CAPTURE(feature.number);
        CHECK(feature.inside_file);
        CHECK(feature.section.offset == builder.places().features.at(feature.number).offset);
        CHECK(feature.section.size == builder.places().features.at(feature.number).size);
    }
}

TEST_CASE("Features that were not recorded are empty texts and no damage", "[recording][features]") {
    const auto file = one_record(std::endian::little).build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->hostname().empty());
    CHECK(recording->command_line().empty());
    CHECK(recording->features().empty());
    CHECK(recording->diagnostics().empty());
    CHECK(recording->feature(Feature::arch) == nullptr);
    const auto missing = recording->read_feature(Feature::arch);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::missing);
}

TEST_CASE("Payloads in any order of place are found through the table", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    builder.layout.features_backwards = true;
    const auto file = builder.build();
    REQUIRE(builder.places().features.at(3).offset > builder.places().features.at(11).offset);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    check_texts(*recording);
}

TEST_CASE("Unknown features own an entry of the table: those behind them are read right", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    builder.feature(0, blob_of("number 0")).feature(7, blob_of("skipped, not unknown"));
    builder.feature(60, blob_of("unknown below 64")).feature(200, blob_of("unknown above 128"));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    check_texts(*recording);
    CHECK(numbers(*recording) == std::vector<unsigned>{0, 3, 4, 5, 6, 7, 8, 11, 60, 200});
    for (const unsigned number : {60u, 200u}) {
        const auto payload = recording->read_feature(static_cast<Feature>(number));
        REQUIRE(payload);
        CHECK(as_text(*payload).starts_with("unknown"));
    }
    CHECK(recording->diagnostics().empty());
}

TEST_CASE("An empty feature, a mere flag, is there and has no bytes", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    builder.feature(Feature::branch_stack, {});
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    REQUIRE(recording->feature(Feature::branch_stack) != nullptr);
    CHECK(recording->feature(Feature::branch_stack)->inside_file);
    CHECK(recording->read_feature(Feature::branch_stack) == std::vector<std::byte>{});
    check_texts(*recording);
}

TEST_CASE("A feature outside the file is lost alone, and named", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    const auto whole = builder.build();
    const auto entry = static_cast<std::size_t>(builder.places().feature_entries.at(4));
    struct Damage {
        const char* name;
        std::uint64_t offset, size;
    };
    const auto damage = GENERATE_COPY(Damage{"behind the end", whole.size() + 1, 68},
                                      Damage{"one byte too long", whole.size() - 68, 69},
                                      Damage{"offset plus size wraps around", 68, ~std::uint64_t{0}},
                                      Damage{"offset near 2^64", ~std::uint64_t{0} - 8, 68});
    CAPTURE(damage.name);
    const auto file = patched(patched(whole, order, entry, damage.offset), order, entry + 8, damage.size);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->os_release().empty());
    CHECK(recording->hostname() == "host");
    CHECK(recording->perf_version() == "6.1.192");
    CHECK(recording->command_line().size() == 3);
    REQUIRE(recording->feature(Feature::osrelease) != nullptr);
    CHECK_FALSE(recording->feature(Feature::osrelease)->inside_file);
    REQUIRE(recording->diagnostics().count() == 1);
    const auto& diagnostic = recording->diagnostics().kept()[0];
    CHECK(diagnostic.code == ErrorCode::truncated);
    CHECK(diagnostic.offset == entry);
    CHECK(diagnostic.where == "feature OSRELEASE");
    CHECK(recording->read_feature(Feature::osrelease).error().code == ErrorCode::truncated);
}

TEST_CASE("A text that goes beyond its section is lost, and named", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    builder.feature(Feature::arch, Writer(order).u32(3013029764).text("x86_64").take());
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->arch().empty());
    CHECK(recording->hostname() == "host");
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].where == "feature ARCH");
    CHECK(recording->diagnostics().kept()[0].offset == builder.places().features.at(6).offset);
}

TEST_CASE("A damaged command line keeps the arguments before the damage", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    const auto line = feature_strings(order, {"/usr/bin/perf", "record", "-a"});
    builder.feature(Feature::cmdline, patched(line, order, 4 + 68, std::uint32_t{0xffffffff}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->command_line() == std::vector<std::string>{"/usr/bin/perf"});
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].where == "feature CMDLINE");
}

TEST_CASE("A feature table cut by the end of the file gives the entries before the cut", "[recording][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = texts(order);
    auto file = builder.build();
    file.resize(static_cast<std::size_t>(builder.places().feature_entries.at(5)) + 15);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(numbers(*recording) == std::vector<unsigned>{3, 4});
    CHECK_FALSE(recording->diagnostics().empty());
}

TEST_CASE("A feature larger than the limit is not read, and says so", "[recording][features]") {
    auto builder = texts(std::endian::little);
    builder.feature(Feature::build_id, Blob(200));
    const auto file = builder.build();
    OpenOptions options;
    options.limits.section_bytes = 199;
    const auto recording = Recording::from_memory(file, options);
    REQUIRE(recording);
    CHECK(recording->hostname() == "host");
    const auto refused = recording->read_feature(Feature::build_id);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit);
    options.limits.section_bytes = 204;  // CMDLINE is the largest of the others
    const auto larger = Recording::from_memory(file, options);
    REQUIRE(larger);
    CHECK(larger->read_feature(Feature::build_id));
}

TEST_CASE("A recording keeps as many diagnostics as the limit says and counts all", "[recording][features]") {
    auto builder = texts(std::endian::little);
    auto file = builder.build();
    for (const auto& [number, entry] : builder.places().feature_entries) {
        file = patched(file, std::endian::little, static_cast<std::size_t>(entry), ~std::uint64_t{0});
    }
    OpenOptions options;
    options.limits.diagnostics = 2;
    const auto recording = Recording::from_memory(file, options);
    REQUIRE(recording);
    CHECK(recording->diagnostics().count() == 6);
    REQUIRE(recording->diagnostics().kept().size() == 2);
    CHECK(recording->diagnostics().kept()[1].where == "feature OSRELEASE");
}
