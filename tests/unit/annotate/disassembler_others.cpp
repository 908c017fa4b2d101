// SPDX-License-Identifier: MIT
// Jumps and calls of arm64, s390x and ppc64, whose JITs call far functions through registers.
#include "catch.hpp"
#include "unit/annotate/machine_code.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto little = std::endian::little;
constexpr std::uint64_t arm_base = 0xffff800080001000;

// targets(listing) returns every target, 0 if there is none.
std::vector<std::uint64_t> targets(const std::vector<Instruction>& listing) {
    std::vector<std::uint64_t> all;
    for (const auto& instruction : listing) all.push_back(instruction.target.value_or(Address{}).value);
    return all;
}

}  // namespace

TEST_CASE("arm64: direct branches lead to addresses", "[annotate][disassembler]") {
    const auto code = words(little, {
                                        a64::bl(4),
                                        a64::b(3),
                                        0x54000040,  // b.eq +8
                                        0xb4000040,  // cbz x0, +8
                                        0x36180041,  // tbz w1, #3, +8
                                        a64::ret,
                                    });
    const auto listing = disassembled(GENERATE("aarch64", "arm64"), code, arm_base);
    CHECK(targets(listing) ==
          std::vector<std::uint64_t>{arm_base + 16, arm_base + 16, arm_base + 16, arm_base + 20, arm_base + 24, 0});
}

TEST_CASE("arm64: a call through a register leads where its constant says", "[annotate][disassembler]") {
    const auto code = words(little, {a64::movn(10, 0x1233), a64::movk(10, 0x8001, 1), a64::movk(10, 0x8000, 2),
                                     a64::blr(10), a64::movz(9, 0x5678), a64::movk(9, 0x9abc, 1), a64::br(9)});
    const auto listing = disassembled("aarch64", code, arm_base);
    REQUIRE(listing.size() == 7);
    CHECK_FALSE(listing[0].constant);
    CHECK(listing[1].constant == Address{0xffffffff8001edcc});
    CHECK(listing[2].constant == Address{0xffff80008001edcc});
    CHECK(listing[3].target == Address{0xffff80008001edcc});
    CHECK(listing[5].constant == Address{0x9abc5678});
    CHECK(listing[6].target == Address{0x9abc5678});
}

TEST_CASE("arm64: the first part of a constant may be any part", "[annotate][disassembler]") {
    const auto code = words(little, {a64::movz(10, 0x1234, 1), a64::movk(10, 0x5678, 0), a64::blr(10),
                                     a64::movn(10, 0x1234, 1), a64::movk(10, 0x5678, 3), a64::blr(10)});
    const auto listing = disassembled("aarch64", code, arm_base);
    CHECK(listing[2].target == Address{0x12345678});
    CHECK(listing[5].target == Address{0x5678ffffedcbffff});
}

TEST_CASE("arm64: a register that something else wrote to leads nowhere known", "[annotate][disassembler]") {
    const auto in_between = GENERATE(a64::add(10, 10), a64::add(10, 3), a64::ldp(10, 11));
    const auto code =
        words(little, {a64::movz(10, 0x1234), a64::movk(10, 0x5678, 1), in_between, a64::blr(10), a64::nop});
    const auto listing = disassembled("aarch64", code, arm_base);
    REQUIRE(listing.size() == 5);
    INFO(listing[2].mnemonic << " " << listing[2].operands);
    CHECK_FALSE(listing[3].target);
}

TEST_CASE("arm64: behind a branch no register is known", "[annotate][disassembler]") {
    const auto branch = GENERATE(a64::bl(1), a64::b(1), a64::blr(3), a64::blr(10));
    const auto code = words(little, {a64::movz(10, 0x1234), a64::movk(10, 0x5678, 1), branch, a64::blr(10), a64::nop});
    const auto listing = disassembled("aarch64", code, arm_base);
    REQUIRE(listing.size() == 5);
    INFO(listing[2].mnemonic << " " << listing[2].operands);
    CHECK_FALSE(listing[3].target);
}

TEST_CASE("arm64: the low half and the second of a pair are writes to the register too", "[annotate][disassembler]") {
    const auto in_between = GENERATE(a64::movz_w(10, 1), a64::ldp(9, 10));
    const auto code = words(little, {a64::movz(10, 0x1234), a64::movk(10, 0x5678, 1), in_between, a64::blr(10)});
    const auto listing = disassembled("aarch64", code, arm_base);
    REQUIRE(listing.size() == 4);
    INFO(listing[2].mnemonic << " " << listing[2].operands);
    CHECK((!listing[3].target || *listing[3].target != Address{0x56781234}));
}

TEST_CASE("arm64: other registers do not disturb a constant", "[annotate][disassembler]") {
    const auto code = words(little, {a64::movz(10, 0x1234), a64::movz(9, 7), a64::add(8, 9), a64::movk(10, 0x5678, 1),
                                     a64::nop, a64::blr(10)});
    CHECK(disassembled("aarch64", code, arm_base)[5].target == Address{0x56781234});
}

TEST_CASE("arm64: a word that is no instruction is four bytes of data", "[annotate][disassembler]") {
    const auto listing = disassembled("aarch64", words(little, {0xffffffff, a64::ret}), arm_base);
    REQUIRE(listing.size() == 2);
    CHECK_FALSE(listing[0].decoded);
    CHECK(listing[0].operands == "0xff, 0xff, 0xff, 0xff");
    CHECK(listing[0].size == 4);
    CHECK(listing[1].mnemonic == "ret");
}

TEST_CASE("s390x: direct branches lead to addresses", "[annotate][disassembler]") {
    const auto code = bytes_of({
        0xc0, 0xe5, 0x00, 0x00, 0x00, 0x10,  // 0 brasl %r14, +0x20
        0xa7, 0xf4, 0x00, 0x04,              // 6 j +14
        0xa7, 0x84, 0xff, 0xfb,              // 10 je +0
        0xc0, 0xf4, 0x00, 0x00, 0x00, 0x02,  // 14 jg +18
        0xec, 0x28, 0x00, 0x04, 0x05, 0x7c,  // 20 cgije %r2, 5, +28
        0xec, 0x23, 0x00, 0x04, 0x80, 0x64,  // 26 cgrje %r2, %r3, +34
        0xec, 0x23, 0x00, 0x04, 0x80, 0x65,  // 32 clgrje %r2, %r3, +40
        0x07, 0xfe,                          // 38 br %r14
    });
    const auto listing = disassembled("s390x", code, 0x3ff80001000);
    const std::vector<std::uint64_t> offsets = {0x20, 14, 0, 18, 28, 34, 40};
    REQUIRE(listing.size() == offsets.size() + 1);
    for (std::size_t index = 0; index < offsets.size(); ++index) {
        INFO(listing[index].mnemonic << " " << listing[index].operands);
        CHECK(listing[index].target == Address{0x3ff80001000 + offsets[index]});
    }
    CHECK_FALSE(listing.back().target);
}

TEST_CASE("s390x: compare and branch of 32 bits leads to an address", "[annotate][disassembler]") {
    const auto code = bytes_of({
        0xec, 0x28, 0x00, 0x04, 0x05, 0x7e,  // 0 cije %r2, 5, +8
        0xec, 0x23, 0x00, 0x04, 0x80, 0x76,  // 6 crje %r2, %r3, +14
        0xec, 0x23, 0x00, 0x04, 0x80, 0x77,  // 12 clrje %r2, %r3, +20
        0xec, 0x28, 0x00, 0x04, 0x05, 0x7f,  // 18 clije %r2, 5, +26
    });
    const auto listing = disassembled("s390x", code, 0x1000);
    REQUIRE(listing.size() == 4);
    for (std::size_t index = 0; index < 4; ++index) {
        INFO(listing[index].mnemonic << " " << listing[index].operands);
        CHECK(listing[index].target == Address{0x1008 + 6 * index});
    }
}

TEST_CASE("s390x: a comparison with a number is no jump", "[annotate][disassembler]") {
    const auto code = bytes_of({
        0xc2, 0x2e, 0x00, 0x00, 0x00, 0x64,  // clgfi %r2, 100
        0xc2, 0x2f, 0x00, 0x00, 0x00, 0x64,  // clfi %r2, 100
        0xa7, 0x2f, 0x00, 0x64,              // cghi %r2, 100
    });
    const auto listing = disassembled("s390x", code, 0x1000);
    REQUIRE(listing.size() == 3);
    for (const auto& instruction : listing) {
        INFO(instruction.mnemonic << " " << instruction.operands);
        CHECK(instruction.decoded);
        CHECK_FALSE(instruction.target);
    }
}

TEST_CASE("s390x: a call through a register leads where its literal says", "[annotate][disassembler]") {
    auto code = bytes_of({
        0xc4, 0x18, 0x00, 0x00, 0x00, 0x04,  // 0 lgrl %r1, +8
        0x0d, 0xe1,                          // 6 basr %r14, %r1
    });
    Writer literal(std::endian::big);
    code = joined({code, literal.u64(0x0000000000a1b2c4).take()});
    const auto listing = disassembled("s390x", code, 0x3ff80001000);
    REQUIRE(listing.size() >= 2);
    CHECK(listing[0].constant == Address{0xa1b2c4});
    CHECK(listing[1].target == Address{0xa1b2c4});
}

TEST_CASE("s390x: larl makes an address, a literal outside the code makes none", "[annotate][disassembler]") {
    const auto code = bytes_of({
        0xc0, 0x10, 0x00, 0x00, 0x00, 0x08,  // 0 larl %r1, +16
        0x0d, 0xe1,                          // 6 basr %r14, %r1
        0xc4, 0x18, 0x00, 0x00, 0x10, 0x00,  // 8 lgrl %r1, far behind
        0x0d, 0xe1,                          // 14 basr %r14, %r1
        0xc4, 0x18, 0xff, 0xff, 0xff, 0x00,  // 16 lgrl %r1, far before
        0x0d, 0xe1,                          // 22 basr %r14, %r1
    });
    const auto listing = disassembled("s390x", code, 0x3ff80001000);
    REQUIRE(listing.size() == 6);
    CHECK(listing[0].constant == Address{0x3ff80001010});
    CHECK(listing[1].target == Address{0x3ff80001010});
    CHECK_FALSE(listing[2].constant);
    CHECK_FALSE(listing[3].target);
    CHECK_FALSE(listing[4].constant);
    CHECK_FALSE(listing[5].target);
}

TEST_CASE("s390x: what is no instruction is two bytes of data", "[annotate][disassembler]") {
    const auto listing = disassembled("s390x", bytes_of({0x00, 0x00, 0x07, 0xfe, 0x0d}), 0x1000);
    REQUIRE(listing.size() == 3);
    CHECK_FALSE(listing[0].decoded);
    CHECK(listing[0].operands == "0x00, 0x00");
    CHECK(listing[1].decoded);
    CHECK(listing[2].size == 1);
    CHECK(listing[2].operands == "0x0d");
}

TEST_CASE("ppc64: branches lead to addresses, in either byte order", "[annotate][disassembler]") {
    const bool big = GENERATE(true, false);
    const auto code = words(big ? std::endian::big : little, {
                                                                 0x48000011,  // bl +0x10
                                                                 0x48000010,  // b +0x14
                                                                 0x41820008,  // beq +0x10
                                                                 0x4bfffff5,  // bl +0
                                                                 0x4e800020,  // blr
                                                             });
    const auto listing = disassembled(big ? "ppc64" : "ppc64le", code, 0xc000000000001000);
    REQUIRE(listing.size() == 5);
    const std::vector<std::uint64_t> offsets = {0x10, 0x14, 0x10, 0};
    for (std::size_t index = 0; index < offsets.size(); ++index) {
        INFO(listing[index].mnemonic << " " << listing[index].operands);
        CHECK(listing[index].target == Address{0xc000000000001000 + offsets[index]});
    }
    CHECK_FALSE(listing[4].target);
}
