// SPDX-License-Identifier: MIT
// Compares exact order of time with a naive stable sort of all records.
#include "perfdata/recording/ordered_stream.hpp"

#include <algorithm>
#include <random>

#include "perfdata/recording/walk.hpp"
#include "perfdata/wire/sample.hpp"

#include "catch.hpp"
#include "recording/first_pass.hpp"
#include "support/build.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto sample_type = sample_bit::ip | sample_bit::time;

// A sample with its number in the file as ip, so that each is unique.
Blob timed(std::endian order, std::uint64_t time, std::uint64_t number) {
    SampleValues values;
    values.time = time;
    values.ip = number;
    return sample(sample_type, values, RecordFrame{order, {}, 0});
}

Blob recording_of(std::endian order, const std::vector<std::uint64_t>& times) {
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_type), {1});
    Blob all;
    for (std::size_t number = 0; number < times.size(); ++number) {
        const auto one = timed(order, times[number], number);
        all.insert(all.end(), one.begin(), one.end());
    }
    return builder.add(all).build();
}

struct OrderSeen {
    std::uint64_t time, number;
    bool operator==(const OrderSeen&) const = default;
};

std::vector<OrderSeen> naive(const std::vector<std::uint64_t>& times) {
    std::vector<OrderSeen> all;
    for (std::size_t number = 0; number < times.size(); ++number) all.push_back({times[number], number});
    std::ranges::sort(all, {}, [](const OrderSeen& seen) { return std::pair(seen.time, seen.number); });
    return all;
}

std::vector<OrderSeen> ordered(const Recording& recording, OrderedStream& stream) {
    std::vector<OrderSeen> all;
    RecordView record;
    Time time;
    while (stream.next(record, time)) {
        const Sample sample(record.bytes.data(), recording.events().events()[0].sample, record.order);
        CHECK(sample.time() == time);
        all.push_back({time.nanoseconds, sample.ip()->value});
    }
    return all;
}

void check(const std::vector<std::uint64_t>& times, std::endian order = std::endian::little) {
    const auto file = recording_of(order, times);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    OrderedStream stream(*recording);
    CHECK(ordered(*recording, stream) == naive(times));

    // The same with what a pass in order of the file noted.
    Completeness completeness;
    struct Nothing {};
    auto noted = first_pass(*recording, completeness, Nothing(), {});
    REQUIRE(noted);
    CHECK(noted->synthesized() == static_cast<std::uint64_t>(std::ranges::count(times, 0u)));
    OrderedStream second(*recording, Shared<const TimeOrder>::make(std::move(*noted)));
    CHECK(ordered(*recording, second) == naive(times));
    CHECK(second.most_waiting() == stream.most_waiting());
}

}  // namespace

TEST_CASE("Records come in order of time, ties in order of the file", "[recording][ordered_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check({}, order);
    check({5}, order);
    check({5, 3, 5, 4, 3, 3, 9, 1}, order);
    check({9, 8, 7, 6, 5, 4, 3, 2, 1}, order);
}

TEST_CASE("Synthesized records come first, wherever they lie", "[recording][ordered_stream]") {
    check({0, 0, 7, 5, 0, 6, 0});
    // One early record at the very end must not delay all others.
    std::vector<std::uint64_t> times(50000);
    for (std::size_t index = 0; index < times.size(); ++index) times[index] = 1000 + index;
    times.back() = 0;
    const auto file = recording_of(std::endian::little, times);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    OrderedStream stream(*recording);
    CHECK(ordered(*recording, stream) == naive(times));
    CHECK(stream.most_waiting() < 2 * 4096);
}

TEST_CASE("Random disorder over many chunks equals a naive stable sort", "[recording][ordered_stream]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    const std::uint64_t disorder =
        GENERATE(std::uint64_t{2}, std::uint64_t{500}, std::uint64_t{20000}, std::uint64_t{1} << 40);
    CAPTURE(seed, disorder);
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> times;
    for (std::uint64_t index = 0; index < 30000; ++index) times.push_back(1 + index + random() % disorder);
    check(times);
}

TEST_CASE("What waits is bounded by the disorder, not by the file", "[recording][ordered_stream]") {
    // Rings of four CPUs, drained one after the other.
    std::vector<std::uint64_t> times;
    for (std::uint64_t round = 0; round < 50; ++round) {
        for (std::uint64_t cpu = 0; cpu < 4; ++cpu) {
            for (std::uint64_t index = 0; index < 500; ++index) times.push_back(1 + round * 500 + index);
        }
    }
    const auto file = recording_of(std::endian::little, times);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    OrderedStream stream(*recording);
    CHECK(ordered(*recording, stream) == naive(times));
    CHECK(stream.most_waiting() < times.size() / 5);
}
