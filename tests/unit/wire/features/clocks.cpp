// SPDX-License-Identifier: MIT
// Features about time, and about the way of recording.
#include "perfdata/wire/feature/clock_data.hpp"
#include "perfdata/wire/feature/clockid.hpp"
#include "perfdata/wire/feature/compressed.hpp"
#include "perfdata/wire/feature/dir_format.hpp"
#include "perfdata/wire/feature/sample_time.hpp"

#include "catch.hpp"
#include "support/payload.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("SAMPLE_TIME, CLOCKID and DIR_FORMAT are plain numbers", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto times = Writer(order).u64(20336541458).u64(0xfffffffffffffffe).take();
    const auto got = SampleTimes::decode(over(times, order));
    REQUIRE(got);
    CHECK(got->first == Time{20336541458});
    CHECK(got->last == Time{0xfffffffffffffffe});
    for_every_cut(times, [&](const Blob& cut) { CHECK_FALSE(SampleTimes::decode(over(cut, order))); });

    const auto number = Writer(order).u64(0x0102030405060708).take();
    CHECK(ClockResolution::decode(over(number, order)).value().nanoseconds == 0x0102030405060708);
    CHECK(DirFormat::decode(over(number, order)).value().version == 0x0102030405060708);
    for_every_cut(number, [&](const Blob& cut) {
        CHECK_FALSE(ClockResolution::decode(over(cut, order)));
        CHECK_FALSE(DirFormat::decode(over(cut, order)));
    });
}

TEST_CASE("CLOCK_DATA turns event times into wall times", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u32(1).u32(4).u64(1795213175487795000).u64(22869685999).take();
    const auto clock = ClockData::decode(over(blob, order));
    REQUIRE(clock);
    CHECK(clock->version == 1);
    CHECK(clock->clockid == 4);
    CHECK(clock->wall_clock == 1795213175487795000);
    CHECK(clock->event_clock == Time{22869685999});
    CHECK(clock->wall({22869685999}) == 1795213175487795000);
    CHECK(clock->wall({22869686000}) == 1795213175487795001);
    CHECK(clock->wall({22869685000}) == 1795213175487794001);
    for_every_cut(blob, [&](const Blob& cut) {
        CHECK(ClockData::decode(over(cut, order)).error().code == ErrorCode::truncated);
    });
    CHECK(ClockData::decode(over(patched(blob, order, 0, std::uint32_t{2}), order)).error().code ==
          ErrorCode::malformed);
}

TEST_CASE("Clocks have the names of clock_gettime", "[wire][features]") {
    CHECK(clock_name(0) == "realtime");
    CHECK(clock_name(1) == "monotonic");
    CHECK(clock_name(4) == "monotonic_raw");
    CHECK(clock_name(7) == "boottime");
    CHECK(clock_name(10).empty());
    CHECK(clock_name(11) == "tai");
    CHECK(clock_name(12).empty());
    CHECK(clock_name(0xffffffff).empty());
}

TEST_CASE("COMPRESSED tells how, and the bound of a record", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u32(9).u32(1).u32(22).u32(4).u32(528384).take();
    const auto info = CompressionInfo::decode(over(blob, order));
    REQUIRE(info);
    CHECK(info->version == 9);
    CHECK(info->type == CompressionInfo::zstd);
    CHECK(info->level == 22);
    CHECK(info->ratio == 4);
    CHECK(info->mmap_len == 528384);
    for_every_cut(blob, [&](const Blob& cut) { CHECK_FALSE(CompressionInfo::decode(over(cut, order))); });
    CHECK(compression_name(0) == "none");
    CHECK(compression_name(1) == "zstd");
    CHECK(compression_name(2).empty());
}
