// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "unit/annotate/machine_code.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t x86_base = 0xffffffffc0025c34;

std::string in_text(const Instruction& instruction) {
    return instruction.operands.empty() ? instruction.mnemonic : instruction.mnemonic + " " + instruction.operands;
}

}  // namespace

TEST_CASE("x86 instructions are written in the syntax asked for", "[annotate][disassembler]") {
    const auto code = bytes_of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3});
    const auto att = disassembled("x86_64", code, x86_base, Syntax::att);
    REQUIRE(att.size() == 4);
    CHECK(in_text(att[0]) == "pushq %rbp");
    CHECK(in_text(att[1]) == "movq %rsp, %rbp");
    CHECK(in_text(att[2]) == "subq $0x10, %rsp");
    CHECK(in_text(att[3]) == "retq");
    const auto intel = disassembled("x86_64", code, x86_base, Syntax::intel);
    REQUIRE(intel.size() == 4);
    CHECK(in_text(intel[0]) == "push rbp");
    CHECK(in_text(intel[1]) == "mov rbp, rsp");
    CHECK(in_text(intel[2]) == "sub rsp, 0x10");
    CHECK(in_text(intel[3]) == "ret");
    for (const auto* listing : {&att, &intel}) {
        CHECK((*listing)[1].offset == 1);
        CHECK((*listing)[1].size == 3);
        CHECK((*listing)[3].offset == 8);
        CHECK((*listing)[3].decoded);
        CHECK_FALSE((*listing)[3].target);
    }
}

TEST_CASE("x86 jumps and calls lead to addresses of where the code ran", "[annotate][disassembler]") {
    const auto syntax = GENERATE(Syntax::att, Syntax::intel);
    const auto address = GENERATE(std::uint64_t{0}, std::uint64_t{0x1000}, x86_base, ~std::uint64_t{0} - 0xff);
    const auto code = bytes_of({
        0xe8, 0x0b, 0x00, 0x00, 0x00,        // 0 call +0x10
        0xe8, 0xf6, 0xff, 0xff, 0xff,        // 5 call start
        0x75, 0x02,                          // 10 jne +14
        0xeb, 0xfe,                          // 12 jmp to itself
        0xe9, 0x00, 0x01, 0x00, 0x00,        // 14 jmp +0x113
        0x0f, 0x84, 0xf4, 0xff, 0xff, 0xff,  // 19 je +13
        0xe2, 0x00,                          // 25 loop +27
    });
    const auto listing = disassembled("x86_64", code, address, syntax);
    const std::vector<std::uint64_t> targets = {0x10, 0, 14, 12, 0x113, 13, 27};
    REQUIRE(listing.size() == targets.size());
    for (std::size_t index = 0; index < targets.size(); ++index) {
        INFO("instruction " << index << ": " << in_text(listing[index]));
        REQUIRE(listing[index].target);
        CHECK(*listing[index].target == Address{address} + targets[index]);
        CHECK_FALSE(listing[index].constant);
    }
    if (address == x86_base) CHECK(listing[0].operands == "0xffffffffc0025c44");
}

TEST_CASE("x86 indirect jumps and plain numbers are no targets", "[annotate][disassembler]") {
    const auto syntax = GENERATE(Syntax::att, Syntax::intel);
    const auto code = bytes_of({
        0xff, 0xd0,                          // call *%rax
        0xff, 0x25, 0x10, 0x00, 0x00, 0x00,  // jmp *0x10(%rip)
        0xb8, 0x10, 0x00, 0x00, 0x00,        // mov $16, %eax
        0x6a, 0x10,                          // push $16
        0xc2, 0x08, 0x00,                    // ret $8
        0xcd, 0x80,                          // int $0x80
    });
    for (const auto& instruction : disassembled("x86_64", code, x86_base, syntax)) {
        INFO(in_text(instruction));
        CHECK(instruction.decoded);
        CHECK_FALSE(instruction.target);
        CHECK_FALSE(instruction.constant);
    }
}

TEST_CASE("movabs leaves an address-sized constant", "[annotate][disassembler]") {
    const auto syntax = GENERATE(Syntax::att, Syntax::intel);
    const auto code = bytes_of({0x48, 0xbf, 0x34, 0x12, 0x00, 0xc0, 0xff, 0xff, 0xff, 0xff, 0xc3});
    const auto listing = disassembled("x86_64", code, x86_base, syntax);
    REQUIRE(listing.size() == 2);
    CHECK(listing[0].constant == Address{0xffffffffc0001234});
    CHECK_FALSE(listing[0].target);
    CHECK_FALSE(listing[1].constant);
}

TEST_CASE("Bytes that are no instruction are data, one by one, and decoding goes on", "[annotate][disassembler]") {
    const auto code = bytes_of({0x55, 0x06, 0x27, 0xc3, 0xe8, 0x01});  // the call at the end is cut
    const auto listing = disassembled("x86_64", code, x86_base);
    REQUIRE(listing.size() >= 5);
    CHECK(listing[0].mnemonic == "pushq");
    CHECK_FALSE(listing[1].decoded);
    CHECK(in_text(listing[1]) == ".byte 0x06");
    CHECK(listing[1].offset == 1);
    CHECK(listing[1].size == 1);
    CHECK(in_text(listing[2]) == ".byte 0x27");
    CHECK(listing[3].decoded);
    CHECK(listing[3].mnemonic == "retq");
    CHECK(in_text(listing[4]) == ".byte 0xe8");
    CHECK(listing.back().offset + listing.back().size == 6);
}

TEST_CASE("No code is an empty listing", "[annotate][disassembler]") {
    for (const std::string_view arch : {"x86_64", "aarch64", "s390x", "ppc64le"}) {
        CHECK(disassembled(arch, {}, x86_base).empty());
    }
}

TEST_CASE("An architecture that is not known is unsupported, and named", "[annotate][disassembler]") {
    for (const std::string_view arch : {"vax", "x86", "X86_64", "x86_64 "}) {
        const auto disassembler = Disassembler::create(arch);
        REQUIRE_FALSE(disassembler);
        CHECK(disassembler.error().code == ErrorCode::unsupported);
        CHECK(disassembler.error().detail.find(arch) != std::string::npos);
    }
    const auto unnamed = Disassembler::create("");
    REQUIRE_FALSE(unnamed);
    CHECK(unnamed.error().code == ErrorCode::unsupported);
    CHECK(unnamed.error().detail.find("ARCH") != std::string::npos);
}

TEST_CASE("32-bit x86 decodes as such", "[annotate][disassembler]") {
    for (const std::string_view arch : {"i386", "i486", "i586", "i686"}) {
        const auto listing = disassembled(arch, bytes_of({0x55, 0x06, 0x40}), 0xc1000000);
        REQUIRE(listing.size() == 3);
        CHECK(in_text(listing[0]) == "pushl %ebp");
        CHECK(in_text(listing[1]) == "pushl %es");
        CHECK(in_text(listing[2]) == "incl %eax");
    }
}

TEST_CASE("A disassembler moves and decodes again", "[annotate][disassembler]") {
    auto first = Disassembler::create("x86_64");
    REQUIRE(first);
    const auto second = std::move(*first);
    const auto code = bytes_of({0xeb, 0x00});
    CHECK(second.decode(code, {0x10})[0].target == Address{0x12});
    CHECK(second.decode(code, {0x20})[0].target == Address{0x22});
}
