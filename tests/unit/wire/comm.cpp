// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/comm.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("COMM gives its fields in either byte order", "[wire][comm]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool exec = GENERATE(false, true);
    const Comm want{{0x01020304}, {0x05060708}, "worker/0:1", exec};
    const auto blob = encode(want, {.order = order, .trailer = trailer_of_ones(40), .misc = 0});
    const auto got = Comm::decode(view(blob, order), 40);
    REQUIRE(got);
    CHECK(got->pid == Pid{0x01020304});
    CHECK(got->tid == Tid{0x05060708});
    CHECK(got->comm == "worker/0:1");
    CHECK(got->exec == exec);
}

TEST_CASE("COMM with other misc bits is no exec", "[wire][comm]") {
    const auto blob = encode(Comm{{1}, {1}, "a", false}, {.order = std::endian::little, .trailer = {}, .misc = 0xdfff});
    const auto got = Comm::decode(view(blob, std::endian::little), 0);
    REQUIRE(got);
    CHECK_FALSE(got->exec);
}

TEST_CASE("COMM needs 17 bytes", "[wire][comm]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    check_refuses_below<Comm>(encode(Comm{{1}, {2}, "", false}, frame), order, Comm::min_bytes);
    CHECK(Comm::min_bytes == 17);
}

TEST_CASE("COMM without a NUL before the trailer is refused", "[wire][comm]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = Blob(8), .misc = 0};
    const auto blob = record(RecordType::comm, frame, Writer(order).u32(1).u32(2).text("sixteen-letters!").take());
    const auto got = Comm::decode(view(blob, order, 100), 8);
    REQUIRE_FALSE(got);
    CHECK(got.error().where == "record COMM");
    CHECK(got.error().offset == 116);
}
