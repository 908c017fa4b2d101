// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/ksymbol.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("KSYMBOL gives its fields in either byte order", "[wire][ksymbol]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const Ksymbol want{{0xffffffffc011f650}, 0x12345678, 1, 0x8000, "bpf_prog_e0868231df87679a_on_sys_enter"};
    const auto blob = encode(want, {.order = order, .trailer = trailer_of_ones(32), .misc = 0});
    CHECK(blob.size() == 24 + 40 + 32);
    const auto got = Ksymbol::decode(view(blob, order), 32);
    REQUIRE(got);
    CHECK(got->address == Address{0xffffffffc011f650});
    CHECK(got->size == 0x12345678);
    CHECK(got->kind == static_cast<std::uint16_t>(Ksymbol::Kind::bpf));
    CHECK(got->flags == 0x8000);
    CHECK(got->name == want.name);
    CHECK_FALSE(got->unregister());
}

TEST_CASE("KSYMBOL's flag bit 0 is the end of a symbol, and a newer kernel's kind is kept", "[wire][ksymbol]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const Ksymbol want{{0x1000}, 0, 0x0102, 1, "x"};
    const auto blob = encode(want, {.order = order, .trailer = {}, .misc = 0});
    const auto got = Ksymbol::decode(view(blob, order), 0);
    REQUIRE(got);
    CHECK(got->unregister());
    CHECK(got->kind == 0x0102);
    CHECK(got->size == 0);
}

TEST_CASE("KSYMBOL needs 25 bytes", "[wire][ksymbol]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    check_refuses_below<Ksymbol>(encode(Ksymbol{{1}, 2, 1, 0, ""}, frame), order, Ksymbol::min_bytes);
    CHECK(Ksymbol::min_bytes == 25);
}

TEST_CASE("KSYMBOL without a NUL before the trailer is refused", "[wire][ksymbol]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = Blob(16), .misc = 0};
    const auto blob = record(RecordType::ksymbol, frame, Writer(order).zeros(16).text("bpf_prog").take());
    CHECK_FALSE(Ksymbol::decode(view(blob, order), 16));
}
