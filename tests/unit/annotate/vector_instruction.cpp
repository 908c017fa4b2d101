// SPDX-License-Identifier: MIT
// Sizes are those of objdump.
#include "disassembly/vector_instruction.hpp"

#include "perfdata/annotate/disassembly/disassembler.hpp"

#include "catch.hpp"
#include "unit/annotate/machine_code.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Vector instructions are as long as their operands say", "[annotate][disassembler]") {
    const auto size = [](const Blob& code) { return vector_instruction(code).size; };
    CHECK(size(bytes_of({0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00, 0x90})) == 7);  // vpcmpeqb (%rdi),%ymm16,%k0
    CHECK(size(bytes_of({0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x47, 0x01, 0x00})) == 8);  // 0x20(%rdi)
    CHECK(size(bytes_of({0xc5, 0xfb, 0x93, 0xc0, 0x85})) == 4);                    // kmovd %k0,%eax
    CHECK(size(bytes_of({0xc5, 0xf8, 0x77, 0xc3})) == 3);                          // vzeroupper
    CHECK(size(bytes_of({0x62, 0xe1, 0xfe, 0x28, 0x6f, 0x04, 0x16})) == 7);        // vmovdqu64 (%rsi,%rdx),%ymm16
    CHECK(size(bytes_of({0xc4, 0xe2, 0x6b, 0xf7, 0xc0, 0x90})) == 5);              // shrx %edx,%eax,%eax
    CHECK(size(bytes_of({0x62, 0xf1, 0x7d, 0x48, 0x6f, 0x05, 1, 2, 3, 4, 0x90})) == 10);  // 0x4030201(%rip)
    CHECK(size(bytes_of({0xc5, 0xf9, 0x70, 0xc0, 0x4e, 0x90})) == 5);                     // vpshufd $0x4e
    CHECK(vector_instruction(bytes_of({0xc5, 0xfb, 0x93, 0xc0})).prefix == "vex");
    CHECK(vector_instruction(bytes_of({0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00})).prefix == "evex");
}

TEST_CASE("What is cut off or no vector instruction has no size", "[annotate][disassembler]") {
    const auto size = [](const Blob& code) { return vector_instruction(code).size; };
    CHECK(size(bytes_of({0x90})) == 0);
    CHECK(size({}) == 0);
    CHECK(size(bytes_of({0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07})) == 0);
    CHECK(size(bytes_of({0xc5, 0xfb, 0x93})) == 0);
    CHECK(size(bytes_of({0x62})) == 0);
}

TEST_CASE("An instruction that Capstone does not know does not shift those behind it", "[annotate][disassembler]") {
    const auto code = bytes_of({0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00, 0xc5, 0xfb, 0x93, 0xc0, 0x85, 0xc0, 0xc3});
    const auto decoded = Disassembler::create("x86_64").value().decode(code, {0x1000});
    REQUIRE(decoded.size() == 4);
    CHECK(decoded[0].size == 7);
    CHECK(decoded[1].offset == 7);
    CHECK(decoded[1].size == 4);
    CHECK(decoded[2].mnemonic == "testl");
    for (const auto& instruction : decoded) CHECK(instruction.decoded);
}
