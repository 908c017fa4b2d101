// SPDX-License-Identifier: MIT
// Refuses signatures that make libdw's hash table slow, but accepts any number from compilers.
#include "symbols/elf/dwarf/dwarf_signatures.hpp"

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// taken(count, signature) returns how many are accepted before one is refused.
template <class Signature>
std::size_t taken(std::size_t count, Signature&& signature) {
    DwarfSignatures signatures;
    for (std::size_t number = 0; number < count; ++number) {
        if (!signatures.add(signature(number))) return number;
    }
    return count;
}

}  // namespace

TEST_CASE("Signatures of many types are taken", "[symbols][dwarf]") {
    constexpr std::size_t count = 300000;
    Random random(1);
    CHECK(taken(count, [&](std::size_t) { return random.u64(); }) == count);
    CHECK(taken(count, [](std::size_t number) { return number; }) == count);
    // One type repeated: the table contains it once.
    CHECK(taken(count, [](std::size_t) { return std::uint64_t{5}; }) == count);
}

TEST_CASE("Signatures that collide are refused", "[symbols][dwarf]") {
    constexpr std::uint64_t size = 12853;  // of the table
    const auto colliding = [](std::size_t number) { return (number + 1) * size * (size - 2) + 5; };
    CHECK(taken(1000, colliding) == 1000);
    CHECK(taken(11000, colliding) < 9000);
}
