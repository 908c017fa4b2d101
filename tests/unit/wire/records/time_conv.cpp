// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("TIME_CONV of older perf has three words", "[wire][time_conv]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(31).u64(0x1122334455667788).u64(3).take();
    check_fields<TimeConv>(order, body, {"time_shift=31", "time_mult=1234605616436508552", "time_zero=3"});
    const RecordCase<TimeConv> got(order, body);
    CHECK(got->shift == 31);
    CHECK(got->multiplier == 0x1122334455667788);
    CHECK(got->zero == 3);
    CHECK_FALSE(got->short_counter);
    check_needs<TimeConv>(order, body, 32);
    CHECK(TimeConv::min_bytes == 32);
}

TEST_CASE("TIME_CONV of newer perf also describes short counters", "[wire][time_conv]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool zero = GENERATE(false, true);
    const std::uint8_t zero_byte = zero ? 2 : 0;
    const auto short_byte = static_cast<std::uint8_t>(2 - zero_byte);
    const auto body = Writer(order).u64(1).u64(2).u64(3).u64(4).u64(0x1122334455667788).u8(zero_byte).u8(short_byte);
    const auto padded = Writer(order).bytes(body.blob()).fill(6, 0xee).take();
    const std::string yes = "true", no = "false";
    check_fields<TimeConv>(
        order, padded,
        {"time_shift=1", "time_mult=2", "time_zero=3", "time_cycles=4", "time_mask=1234605616436508552",
         "cap_user_time_zero=" + (zero ? yes : no), "cap_user_time_short=" + (zero ? no : yes)});
    REQUIRE(RecordCase<TimeConv>(order, padded)->short_counter);
}

TEST_CASE("TIME_CONV of any size between is refused", "[wire][time_conv]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (std::size_t size = 25; size < 48; ++size) check_refused<TimeConv>(order, Blob(size));
    CHECK(RecordCase<TimeConv>(order, Blob(48)).decoded());
    CHECK(RecordCase<TimeConv>(order, Blob(56)).decoded());
}
