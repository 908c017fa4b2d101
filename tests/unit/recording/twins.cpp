// SPDX-License-Identifier: MIT
// A recording and its byte-swapped twin, which a machine of the other byte order would have written, have the same
// content.
#include <algorithm>

#include "catch.hpp"
#include "support/crafted.hpp"
#include "support/files.hpp"
#include "support/reading.hpp"
#include "support/twin.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Tracing data have their own byte order, which a twin keeps.
Crafted big_with_tracing_data_of(const Crafted& little, std::uint64_t seed) {
    constexpr auto tracing = static_cast<unsigned>(Feature::tracing_data);
    auto big = craft(seed, std::endian::big);
    big.features[tracing] = little.features.at(tracing);
    return big;
}

void check_twin(const Blob& little, const Blob& big) {
    const auto twin = big_endian_twin(little);
    REQUIRE(twin.size() == big.size());
    const auto same = std::ranges::mismatch(twin, big).in1 - twin.begin();
    CHECK(same == static_cast<std::ptrdiff_t>(twin.size()));
}

}  // namespace

TEST_CASE("The twin of a crafted recording is the one that was crafted big-endian", "[recording][twins]") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        CAPTURE(seed);
        const auto little = craft(seed, std::endian::little);
        const auto big = big_with_tracing_data_of(little, seed);
        check_twin(builder_of(little, all_records(little)).build(), builder_of(big, all_records(big)).build());
        check_twin(as_pipe(little, all_records(little)), as_pipe(big, all_records(big)));
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
