// SPDX-License-Identifier: MIT
#include "perfdata/core/endian.hpp"

#include <array>

#include "catch.hpp"

using namespace perfdata;

namespace {

constexpr std::array<std::byte, 9> bytes = {std::byte{0x00}, std::byte{0x11}, std::byte{0x22},
                                            std::byte{0x33}, std::byte{0x44}, std::byte{0x55},
                                            std::byte{0x66}, std::byte{0x77}, std::byte{0x88}};

template <class Order>
void check_little(Order order) {
    CHECK(order.template load<std::uint8_t>(&bytes[1]) == 0x11);
    CHECK(order.template load<std::uint16_t>(&bytes[1]) == 0x2211);
    CHECK(order.template load<std::uint32_t>(&bytes[1]) == 0x44332211);
    CHECK(order.template load<std::uint64_t>(&bytes[1]) == 0x8877665544332211);
    CHECK(order.endian() == std::endian::little);
}

template <class Order>
void check_big(Order order) {
    CHECK(order.template load<std::uint8_t>(&bytes[1]) == 0x11);
    CHECK(order.template load<std::uint16_t>(&bytes[1]) == 0x1122);
    CHECK(order.template load<std::uint32_t>(&bytes[1]) == 0x11223344);
    CHECK(order.template load<std::uint64_t>(&bytes[1]) == 0x1122334455667788);
    CHECK(order.endian() == std::endian::big);
}

}  // namespace

TEST_CASE("byteswap reverses the bytes of every width", "[core]") {
    CHECK(byteswap(std::uint8_t{0x12}) == 0x12);
    CHECK(byteswap(std::uint16_t{0x1234}) == 0x3412);
    CHECK(byteswap(std::uint32_t{0x12345678}) == 0x78563412);
    CHECK(byteswap(std::uint64_t{0x123456789abcdef0}) == 0xf0debc9a78563412);
}

TEST_CASE("A fixed order loads unaligned integers of its order", "[core]") {
    check_little(FixedOrder<std::endian::little>{});
    check_big(FixedOrder<std::endian::big>{});
}

TEST_CASE("An order by value loads what the fixed one loads", "[core]") {
    check_little(AnyOrder(std::endian::little));
    check_big(AnyOrder(std::endian::big));
}

TEST_CASE("An order by default is the machine's, and orders compare by value", "[core]") {
    CHECK(AnyOrder().endian() == std::endian::native);
    CHECK(AnyOrder(std::endian::big) == AnyOrder(std::endian::big));
    CHECK_FALSE(AnyOrder(std::endian::big) == AnyOrder(std::endian::little));
}
