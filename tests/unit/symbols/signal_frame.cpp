// SPDX-License-Identifier: MIT
// Trampolines of signals, and the frames that the kernel wrote for them.
#include "symbols/unwind/signal_frame.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Returns a trampoline between other bytes, which begins at byte 16.
Blob among_others(std::initializer_list<std::uint8_t> code) {
    Blob all(16, std::byte{0x90});
    for (const auto byte : code) all.push_back(std::byte{byte});
    all.insert(all.end(), 16, std::byte{0x90});
    return all;
}

// Words are a stack of 400 words of a program.
struct SignalWords {
    explicit SignalWords(ArchFamily family, unsigned width, std::endian in_order)
        : target(target_of(family, width)), order(in_order), stack(in_order) {
        stack.zeros(400 * std::size_t{width});
        registers.pc = 0x400100;
        registers.set(target.stack_pointer(), begin);
    }
    SignalWords& word(std::size_t at, std::uint64_t value) {
        if (target.address_bytes() == 8) {
            stack.patch(at, value);
        } else {
            stack.patch(at, static_cast<std::uint32_t>(value));
        }
        return *this;
    }
    StepOutcome step(SignalPlace place) {
        const StackMemory memory(stack.blob(), begin, AnyOrder(order));
        return step_from_signal(target, place, memory, registers);
    }

    static constexpr std::uint64_t begin = 0x7ff00000;
    UnwindTarget target;
    std::endian order;
    Writer stack;
    RegisterFile registers;
};

}  // namespace

TEST_CASE("Trampolines are known by their code, at each of their instructions", "[symbols][unwind]") {
    struct Case {
        ArchFamily family;
        unsigned width;
        std::initializer_list<std::uint8_t> code;
        std::initializer_list<std::size_t> places;  // of instructions, and behind the last
        SignalFrame frame;
        std::uint8_t popped;
    };
    using enum SignalFrame;
    const Case cases[] = {
        {ArchFamily::x86, 8, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, {0, 7, 9}, with_info, 0},
        {ArchFamily::x86, 4, {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80}, {0, 5, 7}, with_info, 0},
        {ArchFamily::x86, 4, {0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80}, {0, 1, 6, 8}, plain, 4},
        {ArchFamily::arm64, 8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}, {0, 4, 8}, with_info, 0},
        {ArchFamily::arm, 4, {0xad, 0x27, 0, 0xdf}, {0, 2, 4}, with_info, 0},
        {ArchFamily::riscv, 8, {0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0}, {0, 4, 8}, with_info, 0},
        {ArchFamily::s390, 8, {0x0a, 0xad}, {0, 2}, with_info, 0},
        {ArchFamily::s390, 8, {0x0a, 0x77}, {0, 2}, plain, 0},
    };
    for (const auto& [family, width, code, places, frame, popped] : cases) {
        const auto target = target_of(family, width);
        const auto all = among_others(code);
        for (std::size_t at = 0; at <= code.size(); ++at) {
            CAPTURE(width, at, code.size());
            const auto found = signal_trampoline(target, all, 16 + at, false);
            const bool expected = std::ranges::find(places, at) != places.end();
            CHECK(found.frame == (expected ? frame : none));
            CHECK(found.popped == (expected && at != 0 ? popped : 0));
            // A handler returns to the first instruction.
            CHECK(signal_trampoline(target, all, 16 + at, true).frame == (at == 0 ? frame : none));
        }
        // At the edges of what could be read.
        const auto alone = Bytes(all).subspan(16, code.size());
        CHECK(signal_trampoline(target, alone, 0, true).frame == frame);
        CHECK(signal_trampoline(target, alone, code.size(), false).frame == frame);
        CHECK(signal_trampoline(target, alone.first(code.size() - 1), 0, false).frame == none);
        CHECK(signal_trampoline(target, alone, 100, false).frame == none);
        CHECK(signal_trampoline(target, {}, 0, false).frame == none);
    }
}

TEST_CASE("A frame of i386 is the same before and behind the instruction that pops", "[symbols][unwind]") {
    for (const std::uint8_t popped : {std::uint8_t{0}, std::uint8_t{4}}) {
        SignalWords one(ArchFamily::x86, 4, std::endian::little);
        // Behind the number of the signal: segments, edi to eax, trap, error, eip.
        one.word(4 + 16 + 2 * 4, 0x7ff00800).word(4 + 16 + 3 * 4, 0x7ff00700).word(4 + 56, 0x8048200);
        one.registers.set(4, SignalWords::begin + popped);
        REQUIRE(one.step({SignalFrame::plain, popped}) == StepOutcome::ok);
        CHECK(one.registers.pc == 0x8048200);
        CHECK(one.registers.value(5) == 0x7ff00800);
        CHECK(one.registers.value(4) == 0x7ff00700);
    }
}

TEST_CASE("S390 has a frame without siginfo for handlers that want none", "[symbols][unwind]") {
    SignalWords one(ArchFamily::s390, 8, std::endian::big);
    // Room of the callee, mask, pointer to the registers; mask of the psw, its address, r0 to r15.
    one.word(160 + 16 + 8, 0x1000200).word(160 + 32 + 14 * 8, 0x1000300).word(160 + 32 + 15 * 8, 0x7ff00800);
    REQUIRE(one.step({SignalFrame::plain}) == StepOutcome::ok);
    CHECK(one.registers.pc == 0x1000200);
    CHECK(one.registers.value(14) == 0x1000300);
    CHECK(one.registers.value(15) == 0x7ff00800);
}

TEST_CASE("A frame of a signal that was not copied says so", "[symbols][unwind]") {
    SignalWords one(ArchFamily::arm64, 8, std::endian::little);
    one.registers.set(31, SignalWords::begin + 3000);
    CHECK(one.step({SignalFrame::with_info}) == StepOutcome::stack_too_short);
    CHECK(one.registers.pc == 0x400100);
    CHECK(one.step({}) == StepOutcome::register_missing);
    SignalWords narrow(ArchFamily::x86, 4, std::endian::little);
    narrow.registers.set(4, SignalWords::begin + 1596);
    CHECK(narrow.step({SignalFrame::with_info}) == StepOutcome::stack_too_short);
}
