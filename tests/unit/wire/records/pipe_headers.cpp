// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Writer build_id_head(std::endian order, std::uint8_t size) {
    Writer body(order);
    body.u32(0xffffffff);
    for (std::uint8_t index = 0; index < 20; ++index) body.u8(static_cast<std::uint8_t>(0xa0 + index));
    return std::move(body.u8(size).fill(3, 0xee));
}

constexpr std::string_view build_id_digits = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3";

}  // namespace

TEST_CASE("HEADER_EVENT_TYPE gives event and name", "[wire][header_event_type]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).padded_text("cycles").take();
    const RecordCase<HeaderEventType> got(order, body);
    REQUIRE(got.decoded());
    CHECK(lines_of(*got) == Lines{"event_id=1234605616436508552", "name='cycles'"});
    check_needs<HeaderEventType>(order, body, 16);
    CHECK(HeaderEventType::min_bytes == 16);
}

TEST_CASE("HEADER_EVENT_TYPE's name may fill its field, which ends with the record", "[wire][header_event_type]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<HeaderEventType>(order, Writer(order).u64(3).text("cache-references").take(),
                                  {"event_id=3", "name='cache-references'"});
    const std::string full(64, 'e');
    check_fields<HeaderEventType>(order, Writer(order).u64(1).text(full).take(), {"event_id=1", "name='" + full + "'"});
    check_fields<HeaderEventType>(order, Writer(order).u64(1).text(full + "more").take(),
                                  {"event_id=1", "name='" + full + "'"});
}

TEST_CASE("HEADER_TRACING_DATA is 12 or 16 bytes", "[wire][header_tracing_data]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<HeaderTracingData>(order, Writer(order).u32(0x01020304).take(), {"size=16909060"});
    const auto body = Writer(order).u32(0x01020304).u32(0).take();
    check_fields<HeaderTracingData>(order, body, {"size=16909060"});
    check_needs<HeaderTracingData>(order, body, 12);
    CHECK(HeaderTracingData::min_bytes == 12);
}

TEST_CASE("HEADER_BUILD_ID without misc bit 15 has 20 bytes", "[wire][header_build_id]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = build_id_head(order, 16).padded_text("/lib/libc.so").take();
    check_fields<HeaderBuildId>(
        order, body, {"pid=-1", "build_id=<" + std::string(build_id_digits) + ">", "filename='/lib/libc.so'"}, 0x7fff);
    const RecordCase<HeaderBuildId> got(order, body, 1);
    CHECK(got->pid == -1);
    CHECK(got->build_id.size == 20);
    check_needs<HeaderBuildId>(order, body, 36 + 13);
    check_needs<HeaderBuildId>(order, build_id_head(order, 0).u8(0).take(), 37);
    CHECK(HeaderBuildId::min_bytes == 37);
}

TEST_CASE("HEADER_BUILD_ID with misc bit 15 says how long it is", "[wire][header_build_id]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto [claimed, size] =
        GENERATE(table<std::uint8_t, std::size_t>({{0, 0}, {8, 8}, {16, 16}, {20, 20}, {21, 20}, {255, 20}}));
    const auto body = build_id_head(order, claimed).padded_text("x", 64).take();
    check_fields<HeaderBuildId>(
        order, body, {"pid=-1", "build_id=<" + std::string(build_id_digits.substr(0, 2 * size)) + ">", "filename='x'"},
        misc_bit(15));
}

TEST_CASE("HEADER_BUILD_ID without a NUL is refused", "[wire][header_build_id]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_refused<HeaderBuildId>(order, build_id_head(order, 20).text("/abcdefg").take());
}

TEST_CASE("HEADER_FEATURE gives number and payload", "[wire][header_feature]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).text("abc").take();
    check_fields<HeaderFeature>(order, body, {"feat_id=1234605616436508552", "data=<616263>"});
    check_fields<HeaderFeature>(order, Writer(order).u64(32).take(), {"feat_id=32", "data=<>"});
    check_needs<HeaderFeature>(order, body, 16);
    CHECK(HeaderFeature::min_bytes == 16);
}

TEST_CASE("FINISHED_ROUND and FINISHED_INIT have no fields", "[wire][finished]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<FinishedRound>(order, {}, {});
    check_fields<FinishedInit>(order, {}, {});
    check_fields<FinishedInit>(order, Blob(8), {});
    CHECK(FinishedRound::min_bytes == 8);
    CHECK(FinishedInit::min_bytes == 8);
}

TEST_CASE("COMPRESSED is payload to the end", "[wire][compressed]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<Compressed>(order, blob_of("zstd!"), {"data=<7a73746421>"});
    check_fields<Compressed>(order, {}, {"data=<>"});
    CHECK(Compressed::min_bytes == 8);
}

TEST_CASE("COMPRESSED2 says how much of it is payload", "[wire][compressed2]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(5).text("zstd!").zeros(3).take();
    check_fields<Compressed2>(order, body, {"data_size=5", "data=<7a73746421>"});
    check_needs<Compressed2>(order, body, 16 + 5);
    check_needs<Compressed2>(order, Blob(8), 16);
    CHECK(Compressed2::min_bytes == 16);
    for (const auto size : wild_counts) {
        check_refused<Compressed2>(order, Writer(order).u64(size).zeros(64).take());
    }
}
