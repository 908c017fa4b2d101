// SPDX-License-Identifier: MIT
#include "perfdata/wire/file_header.hpp"

#include "catch.hpp"
#include "support/writer.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string_view magic_v2(std::endian order) {
    return order == std::endian::little ? "PERFILE2" : "2ELIFREP";
}

// header(...) writes the fields before the feature bitmap.
Writer header(std::endian order, std::string_view magic, std::uint64_t size, std::uint64_t attr_size) {
    Writer out(order);
    out.text(magic).u64(size).u64(attr_size);
    out.u64(0x1111).u64(0x2222).u64(0x3333).u64(0x4444).u64(0x5555).u64(0x6666);
    return out;
}

}  // namespace

TEST_CASE("A header of 104 bytes gives order, sections and features", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = header(order, magic_v2(order), 104, 144)
                          .u64(1u << 3 | std::uint64_t{1} << 25)
                          .u64(1u << 1)
                          .u64(std::uint64_t{1} << 63)
                          .u64(std::uint64_t{1} << 63)
                          .take();
    const auto got = FileHeader::parse(blob);
    REQUIRE(got);
    CHECK(got->order.endian() == order);
    CHECK_FALSE(got->pipe);
    CHECK_FALSE(got->legacy);
    CHECK(got->size == 104);
    CHECK(got->attr_size == 144);
    CHECK(got->attrs.offset == 0x1111);
    CHECK(got->attrs.size == 0x2222);
    CHECK(got->data.offset == 0x3333);
    CHECK(got->data.size == 0x4444);
    for (unsigned number = 0; number < 256; ++number) {
        CAPTURE(number);
        const bool want = number == 3 || number == 25 || number == 65 || number == 191 || number == 255;
        CHECK(got->has_feature(number) == want);
    }
    CHECK_FALSE(got->has_feature(256));
    CHECK_FALSE(got->has_feature(259));
}

TEST_CASE("An ancient header of 72 bytes has no features, whatever follows it", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = header(order, magic_v2(order), 72, 80).fill(32, 0xff).take();
    const auto got = FileHeader::parse(blob);
    REQUIRE(got);
    CHECK(got->size == 72);
    CHECK(got->data.size == 0x4444);
    CHECK_FALSE(got->has_feature(3));
    CHECK(got->features == std::array<std::uint64_t, 4>{});
    // 72 bytes suffice.
    CHECK(FileHeader::parse(Bytes(blob).first(72)));
}

TEST_CASE("A header of 16 bytes is a pipe stream", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).text(magic_v2(order)).u64(16).take();
    const auto got = FileHeader::parse(blob);
    REQUIRE(got);
    CHECK(got->pipe);
    CHECK(got->order.endian() == order);
    CHECK(got->size == 16);
    CHECK(got->attr_size == 0);
    CHECK(got->data.size == 0);
}

TEST_CASE("Version 1 tells its byte order by the attr size", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint64_t attr = GENERATE(64u, 72u, 80u, 96u, 104u);
    CAPTURE(attr);
    const auto blob = header(order, "PERFFILE", 104, attr + 16).u64(1u << 3).zeros(24).take();
    const auto got = FileHeader::parse(blob);
    REQUIRE(got);
    CHECK(got->legacy);
    CHECK_FALSE(got->pipe);
    CHECK(got->order.endian() == order);
    CHECK(got->attr_size == attr + 16);
    CHECK(got->data.offset == 0x3333);
    CHECK(got->has_feature(3));
}

TEST_CASE("The feature bitmap of a 32-bit writer is put right", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto out = header(order, magic_v2(order), 104, 144);
    // Words of 32 bits: features 3 and 25, 34, 255.
    out.u32(1u << 3 | 1u << 25).u32(1u << 2).zeros(20).u32(1u << 31);
    const auto got = FileHeader::parse(out.blob());
    REQUIRE(got);
    for (const unsigned number : {3u, 25u, 34u, 255u}) {
        CAPTURE(number);
        CHECK(got->has_feature(number));
    }
    CHECK_FALSE(got->has_feature(2));
    CHECK_FALSE(got->has_feature(35));
    CHECK_FALSE(got->has_feature(57));
    CHECK_FALSE(got->has_feature(223));
}

TEST_CASE("A 64-bit big-endian bitmap with high features is not taken for a 32-bit one", "[wire][header]") {
    // Bit 35 is where a 32-bit writer's HOSTNAME would be; bit 4 distinguishes the halves.
    const std::uint64_t bitmap = 1u << 3 | 1u << 4 | std::uint64_t{1} << 35;
    const auto blob = header(std::endian::big, "2ELIFREP", 104, 144).u64(bitmap).zeros(24).take();
    const auto got = FileHeader::parse(blob);
    REQUIRE(got);
    CHECK(got->features[0] == bitmap);
    CHECK(got->has_feature(4));
    CHECK_FALSE(got->has_feature(36));
}

TEST_CASE("Input that is not a recording is told apart from a damaged one", "[wire][header]") {
    const auto elf = Writer(std::endian::little)
                         .text(
                             "\x7f"
                             "ELF")
                         .zeros(100)
                         .take();
    const auto other = FileHeader::parse(elf);
    REQUIRE_FALSE(other);
    CHECK(other.error().code == ErrorCode::not_perf_data);
    CHECK(other.error().offset == 0);

    const auto empty = FileHeader::parse({});
    REQUIRE_FALSE(empty);
    CHECK(empty.error().code == ErrorCode::not_perf_data);

    const auto only_magic = blob_of("PERFILE2");
    const auto bare = FileHeader::parse(only_magic);
    REQUIRE_FALSE(bare);
    CHECK(bare.error().code == ErrorCode::not_perf_data);
}

TEST_CASE("A header cut short is truncated at every length", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto whole = header(order, magic_v2(order), 104, 144).zeros(32).take();
    for (std::size_t size = 16; size < 104; ++size) {
        CAPTURE(size);
        const auto got = FileHeader::parse(Bytes(whole).first(size));
        REQUIRE_FALSE(got);
        CHECK(got.error().code == ErrorCode::truncated);
    }
    CHECK(FileHeader::parse(whole));
    const auto old = header(order, magic_v2(order), 72, 144).take();
    CHECK(FileHeader::parse(Bytes(old).first(71)).error().code == ErrorCode::truncated);
}

TEST_CASE("A version-1 header cut before its attr size is truncated, not read out of bounds", "[wire][header]") {
    const auto whole = header(std::endian::big, "PERFFILE", 104, 80).zeros(32).take();
    for (std::size_t size = 16; size < 24; ++size) {
        const Blob exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK_FALSE(FileHeader::parse(exact));
    }
}

TEST_CASE("An unknown header size is malformed and named", "[wire][header]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint64_t size = GENERATE(0u, 17u, 71u, 73u, 103u, 105u, 112u);
    const auto got = FileHeader::parse(header(order, magic_v2(order), size, 144).zeros(64).blob());
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::malformed);
    CHECK(got.error().offset == 8);
    CHECK(got.error().detail.find("header size " + std::to_string(size)) == 0);
}

TEST_CASE("Version 1 had no pipe mode: a header of 16 bytes is malformed", "[wire][header]") {
    const auto got = FileHeader::parse(header(std::endian::little, "PERFFILE", 16, 80).zeros(32).blob());
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::malformed);
}
