// SPDX-License-Identifier: MIT
#include "perfdata/core/types.hpp"

#include <type_traits>

#include "catch.hpp"

using namespace perfdata;

namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};

}  // namespace

TEST_CASE("Addresses add, subtract and compare as the machine's", "[core]") {
    CHECK(Address{0x1000} + 0x20 == Address{0x1020});
    CHECK(Address{0x1020} - Address{0x1000} == 0x20);
    CHECK(Address{top} + 2 == Address{1});
    CHECK(Address{1} - Address{top} == 2);
    CHECK(Address{0xffffffff81000000} > Address{0x7fffffffffff});
}

TEST_CASE("Quantities of different kinds do not mix", "[core]") {
    CHECK_FALSE(std::is_convertible_v<Address, Time>);
    CHECK_FALSE(std::is_convertible_v<Pid, Tid>);
    CHECK_FALSE(std::is_convertible_v<std::uint64_t, Address>);
    CHECK_FALSE(std::is_convertible_v<EventId, std::uint64_t>);
}

TEST_CASE("A range contains its first byte and not the one behind its last", "[core]") {
    const AddressRange range{{0x1000}, 0x10};
    CHECK_FALSE(range.contains({0xfff}));
    CHECK(range.contains({0x1000}));
    CHECK(range.contains({0x100f}));
    CHECK_FALSE(range.contains({0x1010}));
    CHECK(range.last() == Address{0x100f});
    CHECK_FALSE(AddressRange{{0x1000}, 0}.contains({0x1000}));
}

TEST_CASE("A range that would pass the end of the address space ends there", "[core]") {
    const AddressRange range{{top - 0xf}, 0x1000};
    CHECK(range.last() == Address{top});
    CHECK(range.contains({top}));
    CHECK_FALSE(range.contains({0}));
    CHECK_FALSE(range.contains({0x10}));
    CHECK(AddressRange{{0}, top}.last() == Address{top - 1});
    // Ends exactly at the end of memory: begin + size is 2^64.
    CHECK(AddressRange{{top - 0xf}, 0x10}.last() == Address{top});
}

TEST_CASE("Ranges overlap if they share a byte", "[core]") {
    const AddressRange range{{0x1000}, 0x10};
    CHECK(range.overlaps({{0x100f}, 1}));
    CHECK_FALSE(range.overlaps({{0x1010}, 1}));
    CHECK(range.overlaps({{0xff0}, 0x11}));
    CHECK_FALSE(range.overlaps({{0xff0}, 0x10}));
    CHECK(range.overlaps({{0x1004}, 1}));
    CHECK(AddressRange{{0x1004}, 1}.overlaps(range));
    CHECK_FALSE(range.overlaps({{0x1004}, 0}));
    CHECK_FALSE(AddressRange{{0x1004}, 0}.overlaps(range));
    CHECK_FALSE(AddressRange{{top}, 0x100}.overlaps({{0}, 0x10}));
}

TEST_CASE("Forever is later than any recorded time", "[core]") {
    CHECK(Time::forever() > Time{top - 1});
}
