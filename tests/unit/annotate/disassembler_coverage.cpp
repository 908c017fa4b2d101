// SPDX-License-Identifier: MIT
// Every byte of any code belongs to exactly one instruction or piece of data.
#include <algorithm>
#include <random>

#include "catch.hpp"
#include "unit/annotate/machine_code.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Random bytes are covered without gap or overlap", "[annotate][disassembler][property]") {
    struct Machine {
        std::string_view arch;
        std::size_t step, longest;
    };
    const auto machine = GENERATE(Machine{"x86_64", 1, 15}, Machine{"i386", 1, 15}, Machine{"aarch64", 4, 4},
                                  Machine{"s390x", 2, 6}, Machine{"ppc64le", 4, 4}, Machine{"ppc64", 4, 4});
    const auto disassembler = Disassembler::create(machine.arch);
    REQUIRE(disassembler);
    std::mt19937 random(20260101);
    std::size_t decoded = 0;
    std::size_t data = 0;
    for (int round = 0; round < 300; ++round) {
        Blob code(random() % 200);
        for (auto& byte : code) byte = static_cast<std::byte>(random() & 0xff);
        // Addresses near both ends of the address space make relative targets wrap.
        const std::uint64_t address = round % 3 == 0 ? 0 : round % 3 == 1 ? 0xffffffffc0000000 : ~std::uint64_t{0} - 99;
        const auto listing = disassembler->decode(code, {address});
        std::uint64_t next = 0;
        for (const auto& instruction : listing) {
            REQUIRE(instruction.offset == next);
            REQUIRE(instruction.size != 0);
            REQUIRE(instruction.size <= machine.longest);
            REQUIRE_FALSE(instruction.mnemonic.empty());
            if (instruction.decoded) {
                ++decoded;
                REQUIRE(instruction.mnemonic != ".byte");
                REQUIRE(instruction.size % machine.step == 0);
            } else {
                ++data;
                REQUIRE(instruction.mnemonic == ".byte");
                REQUIRE(instruction.operands.size() == instruction.size * 6 - 2);
                REQUIRE_FALSE(instruction.target);
                REQUIRE_FALSE(instruction.constant);
                REQUIRE(instruction.size == std::min(machine.step, code.size() - instruction.offset));
            }
            next += instruction.size;
        }
        REQUIRE(next == code.size());
    }
    CHECK(decoded > 100);
    CHECK(data > 100);
}

TEST_CASE("The bytes after undecodable ones are decoded as if they stood alone", "[annotate][disassembler]") {
    const auto tail = bytes_of({0x48, 0x89, 0xe5, 0xe8, 0x00, 0x00, 0x00, 0x00, 0xc3});
    const auto alone = disassembled("x86_64", tail, 0x1002);
    const auto behind = disassembled("x86_64", joined({bytes_of({0x06, 0x06}), tail}), 0x1000);
    REQUIRE(behind.size() == alone.size() + 2);
    for (std::size_t index = 0; index < alone.size(); ++index) {
        CHECK(behind[index + 2].mnemonic == alone[index].mnemonic);
        CHECK(behind[index + 2].operands == alone[index].operands);
        CHECK(behind[index + 2].target == alone[index].target);
        CHECK(behind[index + 2].offset == alone[index].offset + 2);
    }
}
