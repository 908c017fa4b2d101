// SPDX-License-Identifier: MIT
#include "perfdata/core/cursor.hpp"

#include "catch.hpp"
#include "support/writer.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Cursor cursor(const Blob& blob, std::endian order = std::endian::little) {
    return {blob, AnyOrder(order), {.where = "the test", .offset = 1000}};
}

}  // namespace

TEST_CASE("A cursor reads integers of either order one after the other", "[core]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u8(0x12).u16(0x3456).u32(0x789abcde).u64(0x0123456789abcdef).take();
    auto in = cursor(blob, order);
    CHECK(in.u8() == 0x12);
    CHECK(in.u16() == 0x3456);
    CHECK(in.u32() == 0x789abcde);
    CHECK(in.u64() == 0x0123456789abcdef);
    CHECK(in.ok());
    CHECK(in.remaining() == 0);
    CHECK(in.position() == 15);
    CHECK(in.file_offset() == 1015);
}

TEST_CASE("A number that does not fit reads as zero, fails the cursor and takes nothing", "[core]") {
    const auto blob = Writer(std::endian::little).u32(0xffffffff).u16(0xffff).u8(0xff).take();
    auto in = cursor(blob);
    CHECK(in.u64() == 0);
    CHECK_FALSE(in.ok());
    CHECK(in.position() == 0);
    CHECK(in.remaining() == 0);
    // One byte is left, but a cursor that failed once reads no further.
    CHECK(in.u8() == 0);
    CHECK(in.bytes(1).empty());
    CHECK(in.rest().empty());
    CHECK_FALSE(in.fits(1, 1));
}

TEST_CASE("A number that ends exactly at the end is read", "[core]") {
    const auto blob = Writer(std::endian::little).u64(7).take();
    auto in = cursor(blob);
    CHECK(in.u64() == 7);
    CHECK(in.ok());
    CHECK(in.u8() == 0);
    CHECK_FALSE(in.ok());
}

TEST_CASE("bytes and skip move on by their size and refuse one more than is left", "[core]") {
    const auto blob = blob_of("abcdefgh");
    auto in = cursor(blob);
    CHECK(as_text(in.bytes(3)) == "abc");
    in.skip(2);
    CHECK(in.position() == 5);
    CHECK(as_text(in.rest()) == "fgh");
    CHECK(in.ok());

    auto greedy = cursor(blob);
    greedy.skip(2);
    CHECK(greedy.bytes(7).empty());
    CHECK_FALSE(greedy.ok());
}

TEST_CASE("A size near 2^64 does not wrap around", "[core]") {
    const auto blob = blob_of("abcdefgh");
    auto in = cursor(blob);
    in.skip(4);
    CHECK(in.bytes(~std::uint64_t{0} - 2).empty());
    CHECK_FALSE(in.ok());
}

TEST_CASE("A terminated string takes its NUL and leaves the rest", "[core]") {
    const auto blob = blob_of(std::string_view("first\0\0second\0", 14));
    auto in = cursor(blob);
    CHECK(in.terminated_string() == "first");
    CHECK(in.terminated_string().empty());
    CHECK(in.ok());
    CHECK(in.terminated_string() == "second");
    CHECK(in.remaining() == 0);
    CHECK(in.ok());
}

TEST_CASE("A string without NUL fails instead of running to the end", "[core]") {
    const auto blob = blob_of("endless");
    auto in = cursor(blob);
    CHECK(in.terminated_string().empty());
    CHECK_FALSE(in.ok());
    CHECK(in.terminated_string().empty());
}

TEST_CASE("fits compares a count with what is left, without overflow", "[core]") {
    const auto blob = Blob(25);
    CHECK(cursor(blob).fits(0, 8));
    CHECK(cursor(blob).fits(3, 8));
    CHECK_FALSE(cursor(blob).fits(4, 8));
    // 2^61 * 8 is 0 modulo 2^64.
    CHECK_FALSE(cursor(blob).fits(std::uint64_t{1} << 61, 8));
    auto in = cursor(blob);
    REQUIRE_FALSE(in.fits(4, 8));
    CHECK_FALSE(in.ok());
}

TEST_CASE("A cursor's errors name the place and the offset in the file", "[core]") {
    const auto blob = Blob(10);
    auto in = cursor(blob);
    in.skip(4);
    const auto short_of = in.failure("the name").error();
    CHECK(short_of.code == ErrorCode::truncated);
    CHECK(short_of.offset == 1004);
    CHECK(short_of.where == "the test");
    CHECK(short_of.detail == "the name goes beyond the end of 10 bytes");
    const auto wrong = in.contradiction("count 0").error();
    CHECK(wrong.code == ErrorCode::malformed);
    CHECK(wrong.offset == 1004);
    CHECK(wrong.where == "the test");
    CHECK(wrong.detail == "count 0");
}

TEST_CASE("until_nul cuts at the first NUL, or takes all", "[core]") {
    CHECK(until_nul(as_bytes(std::string_view("ab\0cd", 5))) == "ab");
    CHECK(until_nul(as_bytes("abcd")) == "abcd");
    CHECK(until_nul({}).empty());
}

TEST_CASE("An array view strides over elements larger than the part that is known", "[core]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u8(0).u32(10).u32(0xdead).u32(20).u32(0xdead).u32(30).u32(0xdead).take();
    // One byte in: the elements are unaligned.
    const ArrayView<std::uint32_t> view(Bytes(blob).subspan(1), 8, AnyOrder(order));
    REQUIRE(view.size() == 3);
    CHECK(view[0] == 10);
    CHECK(view[1] == 20);
    CHECK(view[2] == 30);
    CHECK_FALSE(view.empty());
}

TEST_CASE("An array view without bytes or without stride is empty", "[core]") {
    CHECK(ArrayView<std::uint64_t>().empty());
    CHECK(ArrayView<std::uint64_t>(Bytes(), 0, AnyOrder()).empty());
    CHECK(ArrayView<std::uint64_t>(Bytes(), 8, AnyOrder()).empty());
}
