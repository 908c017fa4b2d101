// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/mmap2.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Mmap2 mapping() {
    Mmap2 map;
    map.pid = {0x01020304};
    map.tid = {0x05060708};
    map.range = {{0x00007f1234560000}, 0x21000};
    map.page_offset = 0x3000;
    map.protection = 5;
    map.flags = 0x80000002;
    map.filename = "/usr/lib/libc.so.6";
    return map;
}

BuildId build_id(std::uint8_t size) {
    BuildId id;
    for (std::size_t index = 0; index < id.value.size(); ++index)
        id.value[index] = static_cast<std::byte>(0xa0 + index);
    id.size = size;
    return id;
}

void check_common(const Mmap2& got) {
    CHECK(got.pid == Pid{0x01020304});
    CHECK(got.tid == Tid{0x05060708});
    CHECK(got.range.begin == Address{0x00007f1234560000});
    CHECK(got.range.size == 0x21000);
    CHECK(got.page_offset == 0x3000);
    CHECK(got.protection == 5);
    CHECK(got.flags == 0x80000002);
    CHECK(got.filename == "/usr/lib/libc.so.6");
}

}  // namespace

TEST_CASE("MMAP2 with misc bit 14 clear has the inode form", "[wire][mmap2]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto map = mapping();
    map.inode = Mmap2::Inode{0xfd, 0x12345, 0x1122334455667788, 0x99aabbccddeeff00};
    const auto blob = encode(map, {.order = order, .trailer = trailer_of_ones(48), .misc = 0x2002});
    const auto got = Mmap2::decode(view(blob, order), 48);
    REQUIRE(got);
    check_common(*got);
    REQUIRE(got->inode);
    CHECK(got->inode->major == 0xfd);
    CHECK(got->inode->minor == 0x12345);
    CHECK(got->inode->number == 0x1122334455667788);
    CHECK(got->inode->generation == 0x99aabbccddeeff00);
    CHECK_FALSE(got->build_id);
}

TEST_CASE("MMAP2 with misc bit 14 set has the build-id form", "[wire][mmap2]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint8_t size = GENERATE(std::uint8_t{0}, std::uint8_t{16}, std::uint8_t{20});
    auto map = mapping();
    map.build_id = build_id(size);
    const auto blob = encode(map, {.order = order, .trailer = trailer_of_ones(8), .misc = 2});
    const auto got = Mmap2::decode(view(blob, order), 8);
    REQUIRE(got);
    check_common(*got);
    REQUIRE(got->build_id);
    CHECK(*got->build_id == build_id(size));
    CHECK(got->build_id->bytes().size() == size);
    CHECK_FALSE(got->inode);
}

TEST_CASE("MMAP2 cuts a build-id size beyond 20 to 20", "[wire][mmap2]") {
    const std::uint8_t claimed = GENERATE(std::uint8_t{21}, std::uint8_t{255});
    auto map = mapping();
    map.build_id = build_id(claimed);
    const auto blob = encode(map);
    const auto got = Mmap2::decode(view(blob, std::endian::little), 0);
    REQUIRE(got);
    REQUIRE(got->build_id);
    CHECK(got->build_id->size == 20);
    CHECK(got->build_id->bytes().size() == 20);
    CHECK(got->build_id->value == build_id(20).value);
}

TEST_CASE("MMAP2 of either form needs 73 bytes", "[wire][mmap2]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto map = mapping();
    map.filename = "";
    check_refuses_below<Mmap2>(encode(map, {.order = order, .trailer = {}, .misc = 0}), order, Mmap2::min_bytes);
    map.build_id = build_id(20);
    check_refuses_below<Mmap2>(encode(map, {.order = order, .trailer = {}, .misc = 0}), order, Mmap2::min_bytes);
    CHECK(Mmap2::min_bytes == 73);
}

TEST_CASE("MMAP2 without a NUL before the trailer is refused", "[wire][mmap2]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = Blob(24), .misc = 0};
    const auto blob = record(RecordType::mmap2, frame, Writer(order).zeros(64).text("12345678").take());
    CHECK_FALSE(Mmap2::decode(view(blob, order), 24));
}
