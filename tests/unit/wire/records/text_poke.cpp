// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("TEXT_POKE gives the code before and after", "[wire][text_poke]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0xffffffff81000102).u16(3).u16(2).text("abcXY").zeros(7).take();
    check_fields<TextPoke>(order, body, {"addr=0xffffffff81000102", "old_len=3", "new_len=2", "bytes=<6162635859>"});
    const RecordCase<TextPoke> got(order, body);
    CHECK(got->address == Address{0xffffffff81000102});
    CHECK(as_text(got->old_bytes()) == "abc");
    CHECK(as_text(got->new_bytes()) == "XY");
    check_needs<TextPoke>(order, body, 20 + 5);
}

TEST_CASE("TEXT_POKE may have no old or no new code", "[wire][text_poke]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordCase<TextPoke> created(order, Writer(order).u64(1).u16(0).u16(2).text("XY").take());
    REQUIRE(created.decoded());
    CHECK(created->old_bytes().empty());
    CHECK(as_text(created->new_bytes()) == "XY");
    const RecordCase<TextPoke> removed(order, Writer(order).u64(1).u16(2).u16(0).text("ab").take());
    REQUIRE(removed.decoded());
    CHECK(as_text(removed->old_bytes()) == "ab");
    CHECK(removed->new_bytes().empty());
    check_needs<TextPoke>(order, Writer(order).u64(1).u16(0).u16(0).take(), 20);
    CHECK(TextPoke::min_bytes == 20);
    CHECK(TextPoke{}.old_bytes().empty());
    CHECK(TextPoke{}.new_bytes().empty());
}

TEST_CASE("TEXT_POKE of more code than the record holds is refused", "[wire][text_poke]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_refused<TextPoke>(order, Writer(order).u64(1).u16(0xffff).u16(0xffff).zeros(64).take());
    check_refused<TextPoke>(order, Writer(order).u64(1).u16(8).u16(9).zeros(16).take());
    check_refused<TextPoke>(order, Writer(order).u64(1).u16(0xffff).u16(1).zeros(64).take());
}
