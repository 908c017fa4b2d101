// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/lost.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("LOST gives its fields in either byte order", "[wire][lost]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const Lost want{{0x0102030405060708}, 0x1112131415161718};
    const auto blob = encode(want, {.order = order, .trailer = trailer_of_ones(24), .misc = 0});
    const auto got = Lost::decode(view(blob, order), 24);
    REQUIRE(got);
    CHECK(got->id == EventId{0x0102030405060708});
    CHECK(got->lost == 0x1112131415161718);
}

TEST_CASE("LOST needs 24 bytes", "[wire][lost]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    check_refuses_below<Lost>(encode(Lost{{1}, 2}, frame), order, Lost::min_bytes);
    CHECK(Lost::min_bytes == 24);
}
