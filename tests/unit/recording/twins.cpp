// SPDX-License-Identifier: MIT
// Byte-swapped twins: a recording and what a machine of the other byte order would have written say the same.
#include "catch.hpp"
#include "support/crafted.hpp"
#include "support/files.hpp"
#include "support/reading.hpp"
#include "support/twin.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Tracing data have a byte order of their own, which a twin keeps.
Blob keep_tracing_data(const Crafted& little, Crafted big, const Blob& data) {
    constexpr auto tracing = static_cast<unsigned>(Feature::tracing_data);
    big.features[tracing] = little.features.at(tracing);
    return builder_of(big, data).build();
}

}  // namespace

TEST_CASE("The twin of a crafted recording is the one that was crafted big-endian", "[recording][twins]") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        CAPTURE(seed);
        const auto little = craft(seed, std::endian::little);
        const auto big = craft(seed, std::endian::big);
        const auto file = builder_of(little, all_records(little)).build();
        const auto twin = big_endian_twin(file);
        const auto want = keep_tracing_data(little, big, all_records(big));
        REQUIRE(twin.size() == want.size());
        const auto differs = std::ranges::mismatch(twin, want).in1 - twin.begin();
        CHECK(differs == static_cast<std::ptrdiff_t>(twin.size()));
    }
}

TEST_CASE("The twins of real recordings read the same, field by field", "[recording][twins][fixtures]") {
    for (const auto& path : fixture_recordings()) {
        INFO(path);
        const auto file = content_of_file(path);
        const auto twin = big_endian_twin(file);
        const auto recording = Recording::from_memory(file).value();
        const auto swapped = Recording::from_memory(twin).value();
        REQUIRE(recording.order().endian() == std::endian::little);
        REQUIRE(swapped.order().endian() == std::endian::big);
        CHECK(swapped.outside_records() == recording.outside_records());
        CHECK(first_difference(event_lines(swapped), event_lines(recording)) == "");
        CHECK(first_difference(feature_lines(swapped), feature_lines(recording)) == "");
        for (const auto order : {RecordOrder::file, RecordOrder::time}) {
            const auto want = read_all(recording, order);
            const auto got = read_all(swapped, order);
            CHECK(got.records.size() > 100);
            CHECK(incompleteness(got, swapped) == "");
            CHECK(first_difference(got.records, want.records) == "");
            CHECK(got.times == want.times);
        }
    }
}
