// SPDX-License-Identifier: MIT
// Real recordings in other containers: what perf record would have written to a pipe, with -z, or with --threads.
#include "support/repacked.hpp"

#include "catch.hpp"
#include "support/compressor.hpp"
#include "support/crafted.hpp"
#include "support/files.hpp"
#include "support/reading.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct RepackedExpected {
    Lines events, records, sorted, in_time;
};

RepackedExpected expected_of(const Recording& recording) {
    // Repacking moves all of perf's own records to the front; the others keep their order.
    auto records = read_all(recording).records;
    std::ranges::stable_partition(records, [](const std::string& line) {
        return line.find(" event ") == std::string::npos || line.find(" at:0 ") != std::string::npos;
    });
    RepackedExpected expected{event_lines(recording), records, records, read_all(recording, RecordOrder::time).records};
    std::ranges::sort(expected.sorted);
    std::ranges::sort(expected.in_time);
    return expected;
}

void check_repacked(const Recording& recording, const RepackedExpected& want) {
    const auto got = read_all(recording);
    CHECK(incompleteness(got, recording) == "");
    CHECK(first_difference(event_lines(recording), want.events) == "");
    auto sorted = got.records;
    std::ranges::sort(sorted);
    CHECK(first_difference(sorted, want.sorted) == "");
    const auto time = read_all(recording, RecordOrder::time);
    CHECK(std::ranges::is_sorted(time.times));
    auto in_time = time.records;
    std::ranges::sort(in_time);
    CHECK(first_difference(in_time, want.in_time) == "");
}

}  // namespace

TEST_CASE("Real recordings repacked as pipe, with -z and as directory say the same",
          "[recording][repacked][fixtures]") {
    for (const auto& path : fixture_recordings()) {
        INFO(path);
        const auto file = content_of_file(path);
        const auto recording = Recording::from_memory(file).value();
        const auto want = expected_of(recording);
        auto content = content_of(recording);
        const auto order = content.order;
        const auto plain = joined({Crafted::bytes_of(content.synthesized), Crafted::bytes_of(content.records)});
        Random random(file.size());

        const auto rebuilt = builder_of(content, plain).build();
        check_repacked(Recording::from_memory(rebuilt).value(), want);
        content.features.try_emplace(static_cast<unsigned>(Feature::tracing_data), Blob(24, std::byte{0x17}));
        const auto pipe = as_pipe(content, plain);
        const auto piped = Recording::from_memory(pipe).value();
        check_repacked(piped, want);
        CHECK(first_difference(read_all(piped).records, want.records) == "");

        content.features.erase(static_cast<unsigned>(Feature::tracing_data));
        content.features[static_cast<unsigned>(Feature::compressed)] = compression_feature(order);
        for (const auto type : {RecordType::compressed, RecordType::compressed2}) {
            const auto data = joined({Crafted::bytes_of(content.synthesized),
                                      packed(order, type, Crafted::bytes_of(content.records), random)});
            const auto smaller = builder_of(content, data).build();
            const auto unpacked = Recording::from_memory(smaller).value();
            check_repacked(unpacked, want);
            CHECK(first_difference(read_all(unpacked).records, want.records) == "");
        }

        const TempDir directory;
        write_directory(directory, content, random);
        check_repacked(Recording::open(directory.path()).value(), want);
    }
}
