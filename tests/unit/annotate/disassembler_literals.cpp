// SPDX-License-Identifier: MIT
// Data words in code of s390x and arm64: words that a load reads are not decoded.
#include "catch.hpp"
#include "unit/annotate/machine_code.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t s390_base = 0x3ff80001000;

// pieces(listing) returns "mnemonic operands" of each piece, and checks that they cover the code without gaps.
std::vector<std::string> pieces(const std::vector<Instruction>& listing, std::size_t size) {
    std::vector<std::string> all;
    std::uint64_t offset = 0;
    for (const auto& piece : listing) {
        CHECK(piece.offset == offset);
        CHECK(piece.size != 0);
        offset += piece.size;
        all.push_back(piece.mnemonic + (piece.operands.empty() ? "" : " ") + piece.operands);
    }
    CHECK(offset == size);
    return all;
}

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("s390x: what lgrl and lrl read is data, with the zeros that align it", "[annotate][disassembler]") {
    const auto code = bytes_of({
        0xc4, 0x18, 0x00, 0x00, 0x00, 0x0c,              // 0 lgrl %r1, +24
        0xc4, 0x2d, 0x00, 0x00, 0x00, 0x07,              // 6 lrl %r2, +20
        0x07, 0xfe,                                      // 12 br %r14
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00,              // 14
        0x07, 0xfe, 0x07, 0xfe,                          // 20 reads as two br %r14
        0x00, 0x00, 0x00, 0x00, 0x00, 0xa1, 0xb2, 0xc4,  // 24
        0x07, 0xfe,                                      // 32
    });
    const auto listing = disassembled("s390x", code, s390_base);
    CHECK(pieces(listing, code.size()) == Pieces{"lgrl %r1, 0x3ff80001018", "lrl %r2, 0x3ff80001014", "br %r14",
                                                 ".byte 0x00, 0x00, 0x00, 0x00, 0x00, 0x00", ".long 0x7fe07fe",
                                                 ".quad 0xa1b2c4", "br %r14"});
    CHECK_FALSE(listing[4].decoded);
    CHECK_FALSE(listing[4].constant);
    CHECK_FALSE(listing[5].decoded);
    CHECK(listing[5].constant == Address{0xa1b2c4});
    CHECK(listing[0].constant == Address{0xa1b2c4});
}

TEST_CASE("s390x: the halfword that a comparison reads is data", "[annotate][disassembler]") {
    struct Comparison {
        unsigned second;
        const char* name;
    };
    const auto [second, name] = GENERATE(Comparison{0x14, "cghrl"}, Comparison{0x15, "chrl"},
                                         Comparison{0x16, "clghrl"}, Comparison{0x17, "clhrl"});
    const auto code = bytes_of({
        0xc6, second, 0x00, 0x00, 0x00, 0x04,  // 0 chrl %r1, +8
        0x07, 0xfe,                            // 6 br %r14
        0x07, 0xf1,                            // 8 reads as br %r1
        0x07, 0xfe,                            // 10 br %r14
    });
    CHECK(pieces(disassembled("s390x", code, s390_base), code.size()) ==
          Pieces{std::string(name) + " %r1, 0x3ff80001008", "br %r14", ".short 0x7f1", "br %r14"});
}

TEST_CASE("s390x: words behind a register that holds an address of the code are data", "[annotate][disassembler]") {
    SECTION("basr, which calls do not disturb") {
        const auto code = bytes_of({
            0x0d, 0xb0,                                      // 0 basr %r11, %r0
            0x0d, 0xe1,                                      // 2 basr %r14, %r1
            0xe3, 0xe0, 0xb0, 0x0e, 0x00, 0x80,              // 4 ng %r14, 14(%r11)
            0x54, 0x10, 0xb0, 0x16,                          // 10 n %r1, 22(%r11)
            0x07, 0xfe,                                      // 14 br %r14
            0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe,  // 16
            0x00, 0x00, 0x00, 0x3f,                          // 24
        });
        CHECK(pieces(disassembled("s390x", code, s390_base), code.size()) ==
              Pieces{"basr %r11, %r0", "basr %r14, %r1", "ng %r14, 0xe(%r11)", "n %r1, 0x16(%r11)", "br %r14",
                     ".quad 0x7fe07fe07fe07fe", ".long 0x3f"});
    }
    SECTION("larl, and two words at once") {
        const auto code = bytes_of({
            0xc0, 0x10, 0x00, 0x00, 0x00, 0x07,              // 0 larl %r1, +14
            0xeb, 0x01, 0x10, 0x02, 0x00, 0x04,              // 6 lmg %r0, %r1, 2(%r1)
            0x07, 0xf1,                                      // 12 br %r1
            0x07, 0x07,                                      // 14 bcr 0, %r7
            0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe,  // 16
            0x00, 0x00, 0x00, 0x00, 0x00, 0xa1, 0xb2, 0xc4,  // 24
        });
        const auto all = pieces(disassembled("s390x", code, s390_base), code.size());
        REQUIRE(all.size() == 6);
        CHECK(all[4] == ".quad 0x7fe07fe07fe07fe");
        CHECK(all[5] == ".quad 0xa1b2c4");
    }
    SECTION("not once the register was written to") {
        const auto code = bytes_of({
            0x0d, 0xb0,                                      // 0 basr %r11, %r0
            0xb9, 0x04, 0x00, 0xb2,                          // 2 lgr %r11, %r2
            0xe3, 0xe0, 0xb0, 0x0c, 0x00, 0x80,              // 6 ng %r14, 12(%r11)
            0x07, 0xfe,                                      // 12 br %r14
            0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe,  // 14
        });
        const auto all = pieces(disassembled("s390x", code, s390_base), code.size());
        CHECK(all.back() == "br %r14");
        CHECK(all.size() == 8);
    }
}

TEST_CASE("s390x: a literal outside of the code, before it or cut by its end is none", "[annotate][disassembler]") {
    const auto distance = GENERATE(0x00u, 0xfcu, 0x06u, 0x70u);  // in halfwords: itself, before, cut, far behind
    const auto high = distance == 0xfcu ? 0xffu : 0u;
    const auto code = bytes_of({
        0xc4,
        0x18,
        high,
        high,
        high,
        distance,  // 0 lgrl %r1
        0x07,
        0xfe,
        0x07,
        0xfe,
        0x07,
        0xfe,  // 6
        0x07,
        0xfe,
    });
    const auto all = pieces(disassembled("s390x", code, s390_base), code.size());
    REQUIRE(all.size() == 5);
    CHECK(all[1] == "br %r14");
    CHECK(all[4] == "br %r14");
}

TEST_CASE("s390x: an instruction that would reach into a literal is bytes", "[annotate][disassembler]") {
    const auto code = bytes_of({
        0xc4, 0x18, 0x00, 0x00, 0x00, 0x05,              // 0 lgrl %r1, +10
        0xc4, 0x18, 0x00, 0x00,                          // 6 the first four bytes of another
        0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe, 0x07, 0xfe,  // 10
    });
    CHECK(pieces(disassembled("s390x", code, s390_base), code.size()) ==
          Pieces{"lgrl %r1, 0x3ff8000100a", ".byte 0xc4, 0x18", ".byte 0x00, 0x00", ".quad 0x7fe07fe07fe07fe"});
}

TEST_CASE("arm64: what ldr reads next to the code is data", "[annotate][disassembler]") {
    const auto code = words(std::endian::little, {
                                                     0x580000c0,  // 0 ldr x0, +24
                                                     0x18000081,  // 4 ldr w1, +16
                                                     0x98000082,  // 8 ldrsw x2, +16
                                                     0x9c0000a3,  // 12 ldr q3, +20
                                                     a64::ret,    // 16
                                                     a64::nop,    // 20 read by ldr w1
                                                     0x9abcdef0,  // 24 by ldr x0, and its first half by ldrsw
                                                     0x12345678,
                                                     1,
                                                     0,
                                                     2,
                                                     0,  // 32 by ldr q3
                                                     a64::ret,
                                                 });
    const auto listing = disassembled("aarch64", code, 0x1000);
    const auto all = pieces(listing, code.size());
    REQUIRE(all.size() == 10);
    CHECK(all[4] == "ret");
    CHECK(all[5] == ".long 0xd503201f");
    CHECK(all[6] == ".quad 0x123456789abcdef0");
    CHECK(all[7] == ".quad 0x1");
    CHECK(all[8] == ".quad 0x2");
    CHECK(all[9] == "ret");
    CHECK(listing[6].constant == Address{0x123456789abcdef0});
}

TEST_CASE("arm64: hints, atomics and signed pointers have names", "[annotate][disassembler]") {
    const auto code = words(
        std::endian::little,
        {
            0xd503233f, 0xd50323bf, 0xd503245f, 0xd503249f, 0xd50320ff, 0xd50322df, 0xd503229f, 0xd503225f, 0xd503201f,
            0xd5032d5f, 0x88e07c41, 0xc8e0fc41, 0x08a07fe1, 0x48207c82, 0xb8e10002, 0xf821003f, 0xf86213ff, 0x38a48005,
            0xf8bfc041, 0xb8bf3fff, 0xd65f0bff, 0xd65f0fff, 0xd63f083f, 0xd71f0822, 0xdac103e0, 0xdac143e7, 0x9ac33041,
        });
    const auto listing = disassembled("aarch64", code, 0x1000);
    // As objdump of binutils 2.40 spells them.
    CHECK(pieces(listing, code.size()) == Pieces{"paciasp",
                                                 "autiasp",
                                                 "bti c",
                                                 "bti j",
                                                 "xpaclri",
                                                 "clearbhb",
                                                 "csdb",
                                                 "tsb csync",
                                                 "nop",
                                                 "hint #0x6a",
                                                 "casa w0, w1, [x2]",
                                                 "casal x0, x1, [x2]",
                                                 "casb w0, w1, [sp]",
                                                 "casp x0, x1, x2, x3, [x4]",
                                                 "ldaddal w1, w2, [x0]",
                                                 "stadd x1, [x1]",
                                                 "stclrl x2, [sp]",
                                                 "swpab w4, w5, [x0]",
                                                 "ldapr x1, [x2]",
                                                 ".byte 0xff, 0x3f, 0xbf, 0xb8",
                                                 "retaa",
                                                 "retab",
                                                 "blraaz x1",
                                                 "braa x1, x2",
                                                 "pacia x0, sp",
                                                 "xpaci x7",
                                                 "pacga x1, x2, x3"});
    CHECK(listing[22].call);
    CHECK_FALSE(listing[23].call);
    CHECK_FALSE(listing[20].call);
}

TEST_CASE("arm64: an atomic instruction ends what is known of registers", "[annotate][disassembler]") {
    const auto code =
        words(std::endian::little, {a64::movz(10, 0x1234), a64::movk(10, 0x5678, 1), 0xf8e10002 | 10, a64::blr(10)});
    const auto listing = disassembled("aarch64", code, 0x1000);
    REQUIRE(listing.size() == 4);
    CHECK(listing[2].mnemonic == "ldaddal");
    CHECK_FALSE(listing[3].target);
}
