// SPDX-License-Identifier: MIT
// A timeline is left while it orders what it has read.
#include <cstdint>
#include <string>
#include <utility>

#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "catch.hpp"
#include "support/sketch.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Returns a recording of many records of one kind.
Blob many(int kind) {
    constexpr std::uint32_t count = 40'000;
    Sketch sketch;
    for (std::uint32_t number = 0; number < count; ++number) {
        const auto pid = number % 5000 + 1;
        const auto time = 1'000'000 - number;  // the wrong way round: they are sorted
        switch (kind) {
            case 0: sketch.comm(pid, time, "name" + std::to_string(number % 7)); break;
            case 1: sketch.mmap(pid, 0x1000 * (number + 1), 0x1000, "/a", time); break;
            case 2: sketch.symbol(0xffff000000000000 + 64 * number, 64, "bpf_prog_0123456789abcdef_f", time); break;
            default: sketch.poke(0xffff000000000000 + 8 * number, "a", "b", time); break;
        }
    }
    return sketch.build();
}

}  // namespace

TEST_CASE("What was read is ordered until it is asked to stop", "[timeline]") {
    const int kind = GENERATE(0, 1, 2, 3);
    const auto file = many(kind);
    const auto recording = Recording::from_memory(file).value();
    std::size_t reading = 0, ordering = 0, asked_then = 0;
    TimelineOptions options;
    options.progress = [&](std::uint64_t read, std::uint64_t total) {
        CHECK(total == recording.bytes());
        ++(read == total ? ordering : reading);
    };
    REQUIRE(Timeline::build(recording, options));
    CHECK(reading >= 2);
    REQUIRE(ordering >= 3);
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, ordering}) {
        INFO(most << " of " << ordering);
        ordering = asked_then = 0;
        options.stop = StopToken([&] {
            if (ordering != 0) ++asked_then;
            return ordering >= most;
        });
        const auto stopped = Timeline::build(recording, options);
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().code == ErrorCode::cancelled);
        CHECK(ordering == most);
        CHECK(asked_then == most);
    }
}

TEST_CASE("Records of 64 KiB are bounded by their bytes between two looks", "[timeline][walk]") {
    constexpr std::uint64_t size = 65528, count = 100;
    Sketch sketch;
    for (std::uint64_t number = 0; number < count; ++number) {
        sketch.record(static_cast<RecordType>(200), Blob(size - RecordHeader::bytes));
    }
    const auto file = sketch.build();
    const auto recording = Recording::from_memory(file).value();
    std::uint64_t last = 0;
    Completeness seen;
    struct Nothing {};
    WalkOptions options;
    options.progress = [&](std::uint64_t read, std::uint64_t) {
        CHECK(read - last <= std::uint64_t{2} << 20);
        last = read;
    };
    REQUIRE(walk(recording, seen, Nothing(), options));
    CHECK(last > (count - 20) * size);
}
