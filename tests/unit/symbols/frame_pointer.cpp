// SPDX-License-Identifier: MIT
// Steps without unwind information.
#include "symbols/unwind/frame_pointer.hpp"

#include "catch.hpp"
#include "symbols/unwind/plt_stub.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t stack_begin = 0x7000;
constexpr auto stepped = StepOutcome::ok;

// Chained is a stack of 512 bytes at 0x7000 and registers, of which the stack pointer is there.
struct Chained {
    explicit Chained(ArchFamily family, unsigned address_bytes = 8, std::endian in_order = std::endian::little)
        : target(target_of(family, address_bytes)), order(in_order), stack(in_order) {
        stack.zeros(512);
        registers.pc = 0x400100;
        registers.set(target.stack_pointer(), stack_begin);
    }
    Chained& word(std::uint64_t address, std::uint64_t value) {
        const auto at = static_cast<std::size_t>(address - stack_begin);
        if (target.address_bytes() == 8) {
            stack.patch(at, value);
        } else {
            stack.patch(at, static_cast<std::uint32_t>(value));
        }
        return *this;
    }
    Chained& set(Slot slot, std::uint64_t value) {
        registers.set(slot, value);
        return *this;
    }
    StackMemory memory() const { return {stack.blob(), stack_begin, AnyOrder(order), stack_begin + 0x1000}; }
    StepOutcome step() { return step_by_frame_pointer(target, memory(), registers); }
    StepOutcome leave(unsigned pushed = 0) { return step_from_leaf(target, memory(), registers, pushed); }

    UnwindTarget target;
    std::endian order;
    Writer stack;
    RegisterFile registers;
};

}  // namespace

TEST_CASE("Frame pointers of x86 lead to the callers", "[symbols][unwind]") {
    for (const unsigned width : {8u, 4u}) {
        Chained one(ArchFamily::x86, width);
        const auto fp = one.target.frame_pointer(), sp = one.target.stack_pointer();
        one.set(fp, 0x7020).set(3, 0x33);
        one.word(0x7020, 0x7060).word(0x7020 + width, 0x400200);
        one.word(0x7060, 0).word(0x7060 + width, 0x400300);
        REQUIRE(one.step() == stepped);
        CHECK(one.registers.pc == 0x400200);
        CHECK(one.registers.value(fp) == 0x7060);
        CHECK(one.registers.value(sp) == 0x7020 + 2 * width);
        CHECK_FALSE(one.registers.known(3));
        REQUIRE(one.step() == stepped);
        CHECK(one.registers.pc == 0x400300);
        CHECK(one.step() == StepOutcome::outermost);
    }
}

TEST_CASE("A chain of frame pointers that is none ends", "[symbols][unwind]") {
    Chained one(ArchFamily::x86);
    CHECK(one.step() == StepOutcome::register_missing);
    one.set(6, 0x7021);
    CHECK(one.step() == StepOutcome::damaged);
    one.set(6, 0x6ff8);
    CHECK(one.step() == StepOutcome::damaged);
    one.set(6, 0x7200);
    CHECK(one.step() == StepOutcome::stack_too_short);
    one.set(6, 0x9000);
    CHECK(one.step() == StepOutcome::damaged);
    one.set(6, 0x7020).word(0x7020, 0x7060);
    CHECK(one.step() == StepOutcome::outermost);  // the return address is 0
    CHECK(one.registers.pc == 0x400100);
    // One that goes back may be a register that the caller uses for something else.
    one.word(0x7028, 0x400200).word(0x7020, 0x7010);
    REQUIRE(one.step() == stepped);
    CHECK_FALSE(one.registers.known(6));
    CHECK(one.step() == StepOutcome::register_missing);
}

TEST_CASE("Frames of x86 may lie at any address", "[symbols][unwind]") {
    Chained one(ArchFamily::x86);
    one.set(6, 0x7021).set(7, 0x7001).word(0x7021, 0x7061).word(0x7029, 0x400200).word(0x7069, 0x400300);
    REQUIRE(one.step() == stepped);
    CHECK(one.registers.pc == 0x400200);
    CHECK(one.registers.value(7) == 0x7031);
    REQUIRE(one.leave(7) == stepped);  // by the word at 0x7069
    CHECK(one.registers.pc == 0x400300);
    // An odd number that leads beyond the copy is a pointer to text.
    Chained text(ArchFamily::x86);
    text.set(6, 0x7203);
    CHECK(text.step() == StepOutcome::damaged);
    Chained other(ArchFamily::arm64);
    other.set(29, 0x7021).word(0x7021, 0x7061).word(0x7029, 0x400200);
    CHECK(other.step() == StepOutcome::damaged);
}

TEST_CASE("Frame records of arm64 lead to the callers", "[symbols][unwind]") {
    Chained one(ArchFamily::arm64);
    one.registers.pc = 0xaaaab0000000;
    one.set(29, 0x7020).word(0x7020, 0x7060).word(0x7028, 0x0035aaaab2345678);
    REQUIRE(one.step() == stepped);
    CHECK(one.registers.pc == 0xaaaab2345678);
    CHECK(one.registers.value(30) == 0xaaaab2345678);
    CHECK(one.registers.value(29) == 0x7060);
    CHECK_FALSE(one.registers.known(31));  // a record may lie anywhere in its frame
}

TEST_CASE("Frame pointers of RISC-V point behind what was saved", "[symbols][unwind]") {
    Chained one(ArchFamily::riscv);
    one.set(8, 0x7040).word(0x7038, 0x10200).word(0x7030, 0x7080);
    REQUIRE(one.step() == stepped);
    CHECK(one.registers.pc == 0x10200);
    CHECK(one.registers.value(8) == 0x7080);
    CHECK(one.registers.value(2) == 0x7040);
    Chained leaf(ArchFamily::riscv);
    leaf.set(8, 0x7040).set(1, 0x10300).word(0x7038, 0x7080);
    REQUIRE(leaf.step() == stepped);
    CHECK(leaf.registers.pc == 0x10300);
    CHECK(leaf.registers.value(8) == 0x7080);
}

TEST_CASE("Frame pointers of Arm lead to the callers in each compiler's way", "[symbols][unwind]") {
    Chained clang(ArchFamily::arm, 4);
    clang.set(11, 0x7020).word(0x7020, 0x7060).word(0x7024, 0x10201);
    REQUIRE(clang.step() == stepped);
    CHECK(clang.registers.pc == 0x10200);
    CHECK(clang.registers.value(11) == 0x7060);
    CHECK(clang.registers.value(13) == 0x7028);
    Chained gcc(ArchFamily::arm, 4);
    gcc.set(11, 0x7024).word(0x7020, 0x7064).word(0x7024, 0x10200);
    REQUIRE(gcc.step() == stepped);
    CHECK(gcc.registers.pc == 0x10200);
    CHECK(gcc.registers.value(11) == 0x7064);
    CHECK(gcc.registers.value(13) == 0x7028);
    Chained thumb(ArchFamily::arm, 4);
    thumb.set(11, 0x1234).set(7, 0x7020).word(0x7020, 0x7060).word(0x7024, 0x10201);
    REQUIRE(thumb.step() == stepped);
    CHECK(thumb.registers.pc == 0x10200);
    CHECK(thumb.registers.value(7) == 0x7060);
    Chained none(ArchFamily::arm, 4);
    none.set(11, 0x7024).word(0x7020, 0x55).word(0x7024, 0x10200);
    CHECK(none.step() == StepOutcome::damaged);
}

TEST_CASE("Back chains lead to the callers", "[symbols][unwind]") {
    struct Case {
        ArchFamily family;
        unsigned width, offset;
        std::endian order;
    };
    for (const auto& [family, width, offset, order] :
         {Case{ArchFamily::s390, 8, 112, std::endian::big}, Case{ArchFamily::s390, 4, 56, std::endian::big},
          Case{ArchFamily::powerpc, 8, 16, std::endian::little}, Case{ArchFamily::powerpc, 4, 4, std::endian::big}}) {
        CAPTURE(width, offset);
        Chained one(family, width, order);
        const auto sp = one.target.stack_pointer();
        one.word(0x7000, 0x7040).word(0x7040 + offset, 0x400200);
        one.word(0x7040, 0x7080).word(0x7080 + offset, 0x400300);
        REQUIRE(one.step() == stepped);
        CHECK(one.registers.pc == 0x400200);
        CHECK(one.registers.value(sp) == 0x7040);
        REQUIRE(one.step() == stepped);
        CHECK(one.registers.pc == 0x400300);
        CHECK(one.step() == StepOutcome::outermost);
        one.word(0x7080, 0x7010);
        CHECK(one.step() == StepOutcome::damaged);
        one.word(0x7080, 0x7300);
        CHECK(one.step() == StepOutcome::stack_too_short);
    }
}

TEST_CASE("Code without a frame is left by its return address", "[symbols][unwind]") {
    Chained one(ArchFamily::x86);
    one.set(3, 0x33).word(0x7000, 0x400200).word(0x7010, 0x400300);
    auto pushed = one;
    REQUIRE(one.leave() == stepped);
    CHECK(one.registers.pc == 0x400200);
    CHECK(one.registers.value(7) == 0x7008);
    CHECK(one.registers.value(3) == 0x33);
    REQUIRE(pushed.leave(2) == stepped);
    CHECK(pushed.registers.pc == 0x400300);
    CHECK(pushed.registers.value(7) == 0x7018);
    CHECK(pushed.leave() == StepOutcome::outermost);
    CHECK(pushed.leave(100) == StepOutcome::stack_too_short);
    CHECK(pushed.leave(1000) == StepOutcome::damaged);

    Chained link(ArchFamily::arm64);
    CHECK(link.leave() == StepOutcome::register_missing);
    link.set(30, 0x400200);
    REQUIRE(link.leave() == stepped);
    CHECK(link.registers.pc == 0x400200);
    CHECK(link.registers.value(31) == stack_begin);
    Chained linked(ArchFamily::arm64);
    linked.set(30, 0x400200);
    REQUIRE(linked.leave(2) == stepped);
    CHECK(linked.registers.pc == 0x400200);
    CHECK(linked.registers.value(31) == stack_begin + 16);
    CHECK(link.leave() == StepOutcome::no_change);
}

TEST_CASE("Stubs of the PLT push words at known places", "[symbols][unwind]") {
    CHECK(words_pushed_in_plt(0, false) == 1);
    CHECK(words_pushed_in_plt(5, false) == 1);
    CHECK(words_pushed_in_plt(6, false) == 2);
    CHECK(words_pushed_in_plt(15, false) == 2);
    CHECK(words_pushed_in_plt(16, false) == 0);
    CHECK(words_pushed_in_plt(26, false) == 0);
    CHECK(words_pushed_in_plt(27, false) == 1);
    CHECK(words_pushed_in_plt(32, false) == 0);
    CHECK(words_pushed_in_plt(24, true) == 0);
    CHECK(words_pushed_in_plt(25, true) == 1);
}
