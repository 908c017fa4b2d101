// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/mmap.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Mmap kernel{{0xffffffff}, {0x11223344}, {{0xffffffff81000000}, 0x1234567}, 0xffffffff81000123, "[kernel]_text"};

}  // namespace

TEST_CASE("MMAP gives its fields in either byte order", "[wire][mmap]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = encode(kernel, {.order = order, .trailer = trailer_of_ones(48), .misc = 1});
    const auto got = Mmap::decode(view(blob, order), 48);
    REQUIRE(got);
    CHECK(got->pid == Pid{0xffffffff});
    CHECK(got->tid == Tid{0x11223344});
    CHECK(got->range.begin == Address{0xffffffff81000000});
    CHECK(got->range.size == 0x1234567);
    CHECK(got->page_offset == 0xffffffff81000123);
    CHECK(got->filename == "[kernel]_text");
}

TEST_CASE("MMAP needs a file name: 41 bytes at least", "[wire][mmap]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto nameless = kernel;
    nameless.filename = "";
    check_refuses_below<Mmap>(encode(nameless, {.order = order, .trailer = {}, .misc = 0}), order, Mmap::min_bytes);
    CHECK(Mmap::min_bytes == 41);
}

TEST_CASE("MMAP without a NUL before the trailer is refused", "[wire][mmap]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Writer body(order);
    body.zeros(32).text("12345678");
    const RecordFrame frame{.order = order, .trailer = Blob(16), .misc = 0};
    const auto blob = record(RecordType::mmap, frame, body.take());
    CHECK_FALSE(Mmap::decode(view(blob, order), 16));
    // If the trailer were unknown, its zeros would end the string.
    CHECK(Mmap::decode(view(blob, order), 0));
}

TEST_CASE("MMAP keeps a file name's bytes as they are", "[wire][mmap]") {
    auto strange = kernel;
    strange.filename = "/srv/\xff\xfe\n (deleted)";
    const auto blob = encode(strange);
    const auto got = Mmap::decode(view(blob, std::endian::little), 0);
    REQUIRE(got);
    CHECK(got->filename == strange.filename);
}
