// SPDX-License-Identifier: MIT
// Steps from a frame to its caller's, by rows.
#include "symbols/unwind/frame_step.hpp"

#include "catch.hpp"
#include "support/cfi.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t stack_at = 0x7000;

// Scene is a frame: registers, 256 bytes of stack at 0x7000, and the row that describes it.
struct StepScene {
    explicit StepScene(ArchFamily family = ArchFamily::x86, unsigned address_bytes = 8,
                       std::endian in_order = std::endian::little)
        : target(target_of(family, address_bytes)), order(in_order), stack(in_order) {
        stack.zeros(256);
        row.return_slot = target.return_slot();
        row.cfa_slot = target.stack_pointer();
        registers.pc = 0x400100;
        if (!target.has_link_register()) registers.set(target.return_slot(), registers.pc);
        registers.set(target.stack_pointer(), stack_at);
    }
    StepScene& word(std::size_t at, std::uint64_t value) {
        if (target.address_bytes() == 8) {
            stack.patch(at, value);
        } else {
            stack.patch(at, static_cast<std::uint32_t>(value));
        }
        return *this;
    }
    // at_usual_place() moves the stack to where programs have it.
    StepScene& at_usual_place() {
        begin = 0x7ffc00001000;
        limit = 0;
        registers.set(target.stack_pointer(), begin);
        return *this;
    }
    StepScene& cfa(std::int32_t offset) {
        row.cfa_value = offset;
        return *this;
    }
    StepScene& rule(Slot slot, RuleKind kind, std::int32_t value = 0) {
        rules.push_back({slot, kind, value});
        return *this;
    }
    StepOutcome step() {
        row.set_rules(rules, spill);
        const RowSource source{&spill, section, {}, 0, AnyOrder(order)};
        const StackMemory memory(stack.blob(), begin, AnyOrder(order), limit);
        ExpressionBudget budget;
        return perfdata::step(target, row, source, memory, registers, budget);
    }

    UnwindTarget target;
    std::endian order;
    Writer stack;
    std::uint64_t begin = stack_at, limit = stack_at + 0x1000;
    UnwindRow row;
    std::vector<UnwindRule> rules;
    RuleSpill spill;
    Blob section;
    RegisterFile registers;
};

using enum RuleKind;
constexpr auto ok = StepOutcome::ok;

}  // namespace

TEST_CASE("A step restores what the function saved", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    StepScene one(ArchFamily::x86, 8, order);
    one.registers.set(3, 0x33);
    one.registers.set(6, 0x66);
    one.registers.set(12, 0x12);
    one.word(16, 0xbbbb).word(24, 0x7100).word(32, 0x400200);
    one.cfa(40).rule(3, at_offset, -24).rule(6, at_offset, -16).rule(16, at_offset, -8);
    REQUIRE(one.step() == ok);
    CHECK(one.registers.pc == 0x400200);
    CHECK(one.registers.value(16) == 0x400200);
    CHECK(one.registers.value(7) == stack_at + 40);
    CHECK(one.registers.value(3) == 0xbbbb);
    CHECK(one.registers.value(6) == 0x7100);
    CHECK(one.registers.value(12) == 0x12);
    CHECK_FALSE(one.registers.known(13));
}

TEST_CASE("All rules are applied to the registers of the frame", "[symbols][unwind]") {
    StepScene one;
    one.registers.set(0, 0xaaaa);
    one.registers.set(1, 0xdddd);
    one.word(8, 0x400200).cfa(16);
    // A swap, a value, one lost, one the same.
    one.rule(0, in_slot, 1).rule(1, in_slot, 0).rule(2, is_offset, -16).rule(3, undefined).rule(12, same);
    one.rule(16, at_offset, -8);
    one.registers.set(3, 0x33);
    one.registers.set(12, 0x12);
    REQUIRE(one.step() == ok);
    CHECK(one.registers.value(0) == 0xdddd);
    CHECK(one.registers.value(1) == 0xaaaa);
    CHECK(one.registers.value(2) == stack_at);
    CHECK_FALSE(one.registers.known(3));
    CHECK(one.registers.value(12) == 0x12);
}

TEST_CASE("The return address may lie in a register", "[symbols][unwind]") {
    StepScene one;
    one.registers.set(2, 0x400300);
    one.cfa(8).rule(16, in_slot, 2);
    REQUIRE(one.step() == ok);
    CHECK(one.registers.pc == 0x400300);
    StepScene lost;
    lost.cfa(8).rule(16, in_slot, 2);
    CHECK(lost.step() == StepOutcome::register_missing);
}

TEST_CASE("A step that fails changes nothing and says why", "[symbols][unwind]") {
    const auto outcome_of = [](auto&& change) {
        StepScene one;
        one.word(8, 0x400200).cfa(16).rule(16, at_offset, -8);
        one.registers.set(3, 0x33);
        change(one);
        const auto before = one.registers;
        const auto outcome = one.step();
        if (outcome != ok) {
            CHECK(one.registers.pc == before.pc);
            CHECK(one.registers.known_slots() == before.known_slots());
            for (Slot slot = 0; slot < slot_count; ++slot) CHECK(one.registers.value(slot) == before.value(slot));
        }
        return outcome;
    };
    CHECK(outcome_of([](StepScene&) {}) == ok);
    // The stack: 256 bytes are copied of 4096.
    CHECK(outcome_of([](StepScene& one) { one.cfa(264); }) == StepOutcome::stack_too_short);
    CHECK(outcome_of([](StepScene& one) { one.cfa(256).word(248, 1); }) == ok);
    CHECK(outcome_of([](StepScene& one) { one.cfa(0x1000); }) == StepOutcome::stack_too_short);
    CHECK(outcome_of([](StepScene& one) { one.cfa(0x1010); }) == StepOutcome::damaged);
    CHECK(outcome_of([](StepScene& one) { one.cfa(0); }) == StepOutcome::damaged);
    CHECK(outcome_of([](StepScene& one) { one.cfa(-8); }) == StepOutcome::damaged);
    CHECK(outcome_of([](StepScene& one) { one.row.cfa_slot = 12; }) == StepOutcome::register_missing);
    CHECK(outcome_of([](StepScene& one) { one.registers.forget(7); }) == StepOutcome::register_missing);
    CHECK(outcome_of([](StepScene& one) { one.rules.clear(); }) == StepOutcome::damaged);
    CHECK(outcome_of([](StepScene& one) { one.word(8, 0); }) == StepOutcome::outermost);
    CHECK(outcome_of([](StepScene& one) { one.row.flags |= UnwindRow::outermost; }) == StepOutcome::outermost);
    CHECK(outcome_of([](StepScene& one) { one.row.flags |= UnwindRow::refused; }) == StepOutcome::refused);
    // A register that cannot be read is lost, the caller is not.
    CHECK(outcome_of([](StepScene& one) { one.rule(3, at_offset, 0x800); }) == ok);
    // Nor does a frame go on to itself.
    CHECK(outcome_of([](StepScene& one) { one.word(8, one.registers.pc).rule(7, is_offset, -16); }) ==
          StepOutcome::no_change);
    CHECK(outcome_of([](StepScene& one) { one.word(8, one.registers.pc); }) == ok);  // recursion
    CHECK(outcome_of([](StepScene& one) { one.rule(7, is_offset, -24); }) == StepOutcome::damaged);
}

TEST_CASE("Stacks of x86 may lie at any address, others are aligned", "[symbols][unwind]") {
    for (const unsigned width : {8u, 4u}) {
        StepScene one(ArchFamily::x86, width);
        const auto offset = static_cast<std::int32_t>(width + 5);
        one.word(5, 0x400200).cfa(offset).rule(one.target.return_slot(), at_offset, -static_cast<std::int32_t>(width));
        REQUIRE(one.step() == ok);
        CHECK(one.registers.pc == 0x400200);
        CHECK(one.registers.value(one.target.stack_pointer()) == stack_at + width + 5);
    }
    for (const auto family : {ArchFamily::arm64, ArchFamily::riscv, ArchFamily::powerpc}) {
        StepScene one(family);
        one.word(5, 0x400200).cfa(13).rule(one.target.return_slot(), at_offset, -8);
        CHECK(one.step() == StepOutcome::damaged);
    }
}

TEST_CASE("A frame that no copy reaches is no damage", "[symbols][unwind]") {
    constexpr Slot rbp = 6;
    const auto outcome_at = [](std::uint64_t frame_pointer) {
        StepScene one;
        one.at_usual_place().registers.set(rbp, frame_pointer);
        one.row.cfa_slot = rbp;
        one.cfa(16).rule(16, at_offset, -8);
        return one.step();
    };
    const auto begin = StepScene().at_usual_place().begin;
    // The return address is at rbp + 8; the longest copy has 65,528 bytes.
    CHECK(outcome_at(begin + 65528 - 16) == StepOutcome::stack_too_short);
    CHECK(outcome_at(begin + 65528 - 8) == StepOutcome::out_of_reach);
    CHECK(outcome_at(begin + (std::uint64_t{16} << 20)) == StepOutcome::out_of_reach);
    // Another stack, below.
    CHECK(outcome_at(0x7f0000001000) == StepOutcome::out_of_reach);
    // Another stack in the same page: its CFA is at rbp + 16.
    for (const std::uint64_t below : {4096u, 64u, 24u, 16u}) {
        CHECK(outcome_at(begin - below) == StepOutcome::out_of_reach);
    }
    // Numbers that are no address.
    CHECK(outcome_at(0x10) == StepOutcome::damaged);
    CHECK(outcome_at(0xffffffff81000000) == StepOutcome::damaged);
    // A frame that does not move is none: the word at the CFA's return address leads to it again.
    StepScene loop;
    loop.at_usual_place().word(56, loop.registers.pc).registers.set(loop.target.stack_pointer(), begin + 64);
    loop.registers.set(rbp, begin + 48);
    loop.row.cfa_slot = rbp;
    loop.cfa(16).rule(16, at_offset, -8);
    CHECK(loop.step() == StepOutcome::no_change);
    // A stack pointer leads to no other stack.
    StepScene one;
    one.at_usual_place().cfa(-0x10000).rule(16, at_offset, -8);
    CHECK(one.step() == StepOutcome::damaged);
}

TEST_CASE("A stack says how large its copy must be for what was read beyond", "[symbols][unwind]") {
    const Blob copied(64);
    constexpr std::uint64_t begin = 0x7ffc00001000;
    const StackMemory memory(copied, begin, AnyOrder());
    CHECK(memory.read(begin + 56, 8).answer == StackMemory::Answer::value);
    CHECK(memory.wanted() == 0);
    CHECK(memory.read(begin + 60, 8).answer == StackMemory::Answer::beyond);
    CHECK(memory.wanted() == 68);
    CHECK(memory.read(begin + 65520, 8).answer == StackMemory::Answer::beyond);
    CHECK(memory.read(begin + 65521, 8).answer == StackMemory::Answer::far);
    CHECK(memory.read(begin - 8, 8).answer == StackMemory::Answer::unknown);
    CHECK(memory.wanted() == 65528);
}

TEST_CASE("Registers that cannot be restored become unknown", "[symbols][unwind]") {
    StepScene one;
    one.word(8, 0x400200).cfa(16).rule(3, at_offset, 0x800).rule(6, at_offset, -0x1000).rule(16, at_offset, -8);
    one.registers.set(3, 0x33);
    one.registers.set(6, 0x66);
    REQUIRE(one.step() == ok);
    CHECK_FALSE(one.registers.known(3));
    CHECK(one.registers.value(3) == 0);
    // What was saved below the stack pointer has been popped.
    CHECK(one.registers.value(6) == 0x66);
}

TEST_CASE("A signal's frame may lead anywhere", "[symbols][unwind]") {
    // The handler ran on a stack of its own, above the one that was interrupted.
    StepScene one;
    one.row.flags |= UnwindRow::signal_frame | UnwindRow::cfa_expression;
    // CFA: the word at rsp + 160; the others lie in the signal's context.
    const auto cfa = Instructions().block(Instructions().op(0x77).sleb(160).op(0x06));
    const auto pc = Instructions().block(Instructions().op(0x77).sleb(168));
    const auto rbx = Instructions().block(Instructions().op(0x77).sleb(128));
    one.section = joined({blob_of("x"), cfa.blob(), pc.blob(), rbx.blob()});
    one.row.cfa_value = 1;
    const auto pc_at = static_cast<std::int32_t>(1 + cfa.blob().size());
    one.rule(3, at_expression, static_cast<std::int32_t>(pc_at + static_cast<std::int32_t>(pc.blob().size())));
    one.rule(7, is_expression, 1).rule(16, at_expression, pc_at);
    one.word(160, 0x6800).word(168, 0x400777).word(128, 0xb0b);
    REQUIRE(one.step() == ok);
    CHECK(one.registers.pc == 0x400777);
    CHECK(one.registers.value(7) == 0x6800);
    CHECK(one.registers.value(3) == 0xb0b);
}

TEST_CASE("Expressions of .debug_frame are looked for there", "[symbols][unwind]") {
    StepScene one;
    one.row.flags |= UnwindRow::in_debug_frame | UnwindRow::cfa_expression;
    one.section = Instructions().block(Instructions().op(0x77).op(16)).blob();
    one.word(8, 0x400200).rule(16, at_offset, -8);
    CHECK(one.step() == StepOutcome::damaged);
    const RowSource source{&one.spill, {}, one.section, 0, AnyOrder()};
    const StackMemory memory(one.stack.blob(), stack_at, AnyOrder());
    ExpressionBudget budget;
    CHECK(perfdata::step(one.target, one.row, source, memory, one.registers, budget) == ok);
    CHECK(one.registers.value(7) == stack_at + 16);
}

TEST_CASE("All expressions of one step share a budget", "[symbols][unwind]") {
    // Each takes about 1,000 operations: 250 times round.
    const auto loop =
        Instructions().block(Instructions().op(0x08).op(250).op(0x31).op(0x1c).op(0x12).op(0x28).u16(0xfffa));
    StepScene few, many;
    for (auto* one : {&few, &many}) {
        one->section = loop.blob();
        one->word(8, 0x400200).cfa(16);
        for (Slot slot = 0; slot < (one == &few ? 3 : 6); ++slot) one->rule(slot, is_expression, 0);
        one->rule(16, at_offset, -8);
        REQUIRE(one->step() == ok);
        CHECK(one->registers.known(2));
        CHECK(one->registers.value(2) == 0);
    }
    CHECK_FALSE(many.registers.known(5));
}

TEST_CASE("Where a call leaves the return address in a register it is there until it is saved", "[symbols][unwind]") {
    const auto family = GENERATE(ArchFamily::arm64, ArchFamily::riscv, ArchFamily::powerpc);
    StepScene leaf(family);
    leaf.registers.set(leaf.target.return_slot(), 0x400200);
    REQUIRE(leaf.step() == ok);
    CHECK(leaf.registers.pc == 0x400200);
    CHECK(leaf.registers.value(leaf.target.stack_pointer()) == stack_at);
    // It has led here: it cannot lead to the next caller as well.
    CHECK(leaf.step() == StepOutcome::no_change);
    StepScene unknown(family);
    CHECK(unknown.step() == StepOutcome::register_missing);
    StepScene saved(family);
    saved.word(24, 0x400300).cfa(32).rule(saved.target.return_slot(), at_offset, -8);
    REQUIRE(saved.step() == ok);
    CHECK(saved.registers.pc == 0x400300);
    CHECK(saved.registers.value(saved.target.return_slot()) == 0x400300);
    CHECK(saved.registers.value(saved.target.stack_pointer()) == stack_at + 32);
}

TEST_CASE("S390 keeps its stack pointer below the CFA", "[symbols][unwind]") {
    StepScene leaf(ArchFamily::s390, 8, std::endian::big);
    leaf.registers.set(14, 0x400200);
    leaf.cfa(160);
    REQUIRE(leaf.step() == ok);
    CHECK(leaf.registers.value(15) == stack_at);
    // With a frame of 64 bytes, r14 and r15 saved in the caller's area.
    StepScene one(ArchFamily::s390, 8, std::endian::big);
    one.word(64 + 112, 0x400200).word(64 + 120, stack_at + 64);
    one.cfa(224).rule(14, at_offset, -48).rule(15, at_offset, -40);
    REQUIRE(one.step() == ok);
    CHECK(one.registers.pc == 0x400200);
    CHECK(one.registers.value(15) == stack_at + 64);
    // In a leaf the return address may be kept in a floating-point register.
    StepScene floating(ArchFamily::s390, 8, std::endian::big);
    floating.registers.set(16, 0x400400);
    floating.cfa(160).rule(14, in_slot, 16);
    REQUIRE(floating.step() == ok);
    CHECK(floating.registers.pc == 0x400400);
}

TEST_CASE("Addresses have the width of the program", "[symbols][unwind]") {
    StepScene narrow(ArchFamily::x86, 4);
    narrow.word(4, 0x8048200).cfa(8).rule(8, at_offset, -4);
    REQUIRE(narrow.step() == ok);
    CHECK(narrow.registers.pc == 0x8048200);
    CHECK(narrow.registers.value(4) == stack_at + 8);
    // Thumb code's return addresses are odd.
    StepScene thumb(ArchFamily::arm, 4);
    thumb.registers.set(14, 0x10201);
    REQUIRE(thumb.step() == ok);
    CHECK(thumb.registers.pc == 0x10200);
    // 31-bit code's have the addressing mode in the highest bit.
    StepScene old(ArchFamily::s390, 4, std::endian::big);
    old.registers.set(14, 0x80401200);
    old.cfa(96);
    REQUIRE(old.step() == ok);
    CHECK(old.registers.pc == 0x401200);
}

TEST_CASE("Signatures are taken out of return addresses where they are signed", "[symbols][unwind]") {
    constexpr std::uint64_t plain = 0x0000aaaab2345678, with = 0x0035aaaab2345678;
    for (const bool is_signed : {true, false}) {
        StepScene one(ArchFamily::arm64);
        one.registers.pc = 0x0000aaaab0000000;
        if (is_signed) one.row.flags |= UnwindRow::return_signed;
        one.word(8, with).cfa(16).rule(30, at_offset, -8);
        REQUIRE(one.step() == ok);
        CHECK(one.registers.pc == (is_signed ? plain : with));
        CHECK(one.registers.value(30) == one.registers.pc);
    }
    // A leaf has signed it, and not saved it.
    StepScene leaf(ArchFamily::arm64);
    leaf.registers.pc = 0x0000aaaab0000000;
    leaf.registers.set(30, with);
    leaf.row.flags |= UnwindRow::return_signed;
    REQUIRE(leaf.step() == ok);
    CHECK(leaf.registers.pc == plain);
    // As many bits are kept as the process has, judged by its own addresses.
    CHECK(without_signature(0xfff5aaaab2345678, 0xaaaab0000000, 0xffffc0000000) == plain);
    CHECK(without_signature(0x0035555555555000, 0x5555550000, 0x7fc0000000) == 0x5555555000);    // 39 bits
    CHECK(without_signature(0x00355555555555000, 0x400000, 0x3ff00000000) == 0x15555555000);     // 42 bits
    CHECK(without_signature(0x0035555555555000, 0x400000, 0x7ffff0000000) == 0x555555555000);    // 47 bits
    CHECK(without_signature(0x003faaaab2345678, 0x400000, 0xfffff00000000) == 0xfaaaab2345678);  // 52 bits
    CHECK(without_signature(0xffbfaaaab2345678, 0x400000, 0x1fffffff00000000) == 0x3faaaab2345678);
}

TEST_CASE("Rows of a frame that was cut off behind the return address still lead on", "[symbols][unwind]") {
    StepScene one;
    one.stack.patch(248, std::uint64_t{0x400200});
    one.cfa(256).rule(16, at_offset, -8);
    REQUIRE(one.step() == ok);
    CHECK(one.registers.pc == 0x400200);
    one.rules.clear();
    one.cfa(8).rule(16, at_offset, -8);
    CHECK(one.step() == StepOutcome::stack_too_short);
}
