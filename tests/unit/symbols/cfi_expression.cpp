// SPDX-License-Identifier: MIT
// DWARF expressions of call frame information.
#include "symbols/unwind/cfi_expression.hpp"

#include <optional>

#include "catch.hpp"
#include "support/cfi.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using I = Instructions;

// A machine to compute on: registers, and a stack of 64 bytes at 0x1000 whose bytes are 0, 1, 2, ...
struct Computer {
    explicit Computer(ArchFamily family = ArchFamily::x86, unsigned address_bytes = 8,
                      std::endian in_order = std::endian::little)
        : target(target_of(family, address_bytes)), order(in_order) {
        for (unsigned at = 0; at < 64; ++at) stack.push_back(static_cast<std::byte>(at));
        registers.set(7, 0x1000);
        registers.set(3, 0x77);
    }

    // value(operations) returns the value; an outcome other than ok is negative.
    std::int64_t value(const I& operations) {
        const auto section = I(order).op(0xee).block(operations).blob();
        const StackMemory memory(stack, 0x1000, AnyOrder(order), 0x2000, other);
        const ExpressionInput input{target, registers, memory, AnyOrder(order), bias, cfa};
        ExpressionBudget budget;
        const auto computed = compute(section, 1, input, budget);
        used = 4096 - budget.operations;
        if (computed.outcome != StepOutcome::ok) return -static_cast<std::int64_t>(computed.outcome);
        return static_cast<std::int64_t>(computed.value);
    }

    UnwindTarget target;
    std::endian order;
    RegisterFile registers;
    std::vector<std::byte> stack;
    const OtherMemory* other = nullptr;
    std::uint64_t bias = 0;
    std::optional<std::uint64_t> cfa{};
    unsigned used = 0;
};

constexpr auto damaged = -static_cast<std::int64_t>(StepOutcome::damaged);
constexpr auto missing = -static_cast<std::int64_t>(StepOutcome::register_missing);
constexpr auto too_short = -static_cast<std::int64_t>(StepOutcome::stack_too_short);

I lit(unsigned value) {
    return I().op(0x30 + value);
}
I then(I first, const I& second) {
    for (const auto byte : second.blob()) first.op(std::to_integer<unsigned>(byte));
    return first;
}
// two(first, second, operation) applies an operation to two constants.
I two(std::int64_t first, std::int64_t second, unsigned operation) {
    return I().op(0x11).sleb(first).op(0x11).sleb(second).op(operation);
}

}  // namespace

TEST_CASE("Constants of expressions are read in each width", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Computer one(ArchFamily::x86, 8, order);
    CHECK(one.value(I().op(0x30)) == 0);
    CHECK(one.value(I().op(0x4f)) == 31);
    CHECK(one.value(I(order).op(0x08).op(0xfe)) == 0xfe);
    CHECK(one.value(I(order).op(0x09).op(0xfe).op(0x1f)) == 2);  // -2, negated
    CHECK(one.value(I(order).op(0x0a).u16(0xfffe)) == 0xfffe);
    CHECK(one.value(I(order).op(0x0b).u16(0xfffe).op(0x1f)) == 2);
    CHECK(one.value(I(order).op(0x0c).u32(0xfffffffe)) == 0xfffffffe);
    CHECK(one.value(I(order).op(0x0d).u32(0xfffffffe).op(0x1f)) == 2);
    CHECK(one.value(I(order).op(0x0e).u64(0x123456789abcdef0)) == 0x123456789abcdef0);
    CHECK(one.value(I(order).op(0x0f).u64(UINT64_MAX - 1).op(0x1f)) == 2);
    CHECK(one.value(I(order).op(0x10).uleb(123456789)) == 123456789);
    CHECK(one.value(I(order).op(0x11).sleb(-123456789).op(0x1f)) == 123456789);
    one.bias = 0x100;
    CHECK(one.value(I(order).op(0x03).u64(0x5000)) == 0x5100);
}

TEST_CASE("Expressions read registers and memory", "[symbols][unwind]") {
    Computer one;
    CHECK(one.value(I().op(0x77).sleb(-8)) == 0xff8);            // breg7
    CHECK(one.value(I().op(0x53)) == 0x77);                      // reg3
    CHECK(one.value(I().op(0x90).uleb(3)) == 0x77);              // regx
    CHECK(one.value(I().op(0x92).uleb(7).sleb(300)) == 0x112c);  // bregx
    CHECK(one.value(I().op(0x70).sleb(0)) == missing);
    CHECK(one.value(I().op(0x92).uleb(17).sleb(0)) == missing);
    CHECK(one.value(I().op(0x92).uleb(std::uint64_t{1} << 63).sleb(0)) == missing);
    CHECK(one.value(I().op(0x77).sleb(8).op(0x06)) == 0x0f0e0d0c0b0a0908);
    CHECK(one.value(I().op(0x77).sleb(8).op(0x94).op(1)) == 0x08);
    CHECK(one.value(I().op(0x77).sleb(8).op(0x94).op(2)) == 0x0908);
    CHECK(one.value(I().op(0x77).sleb(8).op(0x94).op(4)) == 0x0b0a0908);
    CHECK(one.value(I().op(0x77).sleb(8).op(0x94).op(8)) == 0x0f0e0d0c0b0a0908);
    CHECK(one.value(I().op(0x77).sleb(8).op(0x94).op(3)) == damaged);
    CHECK(one.value(I().op(0x77).sleb(56).op(0x06)) == 0x3f3e3d3c3b3a3938);
    CHECK(one.value(I().op(0x77).sleb(57).op(0x06)) == too_short);
    CHECK(one.value(I().op(0x77).sleb(0xff8).op(0x06)) == too_short);
    CHECK(one.value(I().op(0x77).sleb(0x1000).op(0x06)) == damaged);
    CHECK(one.value(I().op(0x77).sleb(-1).op(0x06)) == damaged);

    struct Constants final : OtherMemory {
        bool read(std::uint64_t address, unsigned width, std::uint64_t& value) const override {
            value = address + width;
            return address == 0x5000;
        }
    };
    const Constants constants;
    one.other = &constants;
    CHECK(one.value(I().op(0x03).u64(0x5000).op(0x06)) == 0x5008);
    CHECK(one.value(I().op(0x03).u64(0x5001).op(0x06)) == damaged);

    Computer big(ArchFamily::s390, 8, std::endian::big);
    big.registers.set(15, 0x1000);
    CHECK(big.value(I().op(0x7f).sleb(8).op(0x06)) == 0x08090a0b0c0d0e0f);
    CHECK(big.value(I().op(0x7f).sleb(8).op(0x94).op(4)) == 0x08090a0b);
}

TEST_CASE("Expressions move values on their stack", "[symbols][unwind]") {
    Computer one;
    const auto list = then(then(lit(1), lit(2)), lit(3));      // 3 is on top
    CHECK(one.value(then(list, I().op(0x12).op(0x22))) == 6);  // dup: 3 + 3
    CHECK(one.value(then(list, I().op(0x13))) == 2);           // drop
    CHECK(one.value(then(list, I().op(0x14))) == 2);           // over
    CHECK(one.value(then(list, I().op(0x15).op(2))) == 1);     // pick
    CHECK(one.value(then(list, I().op(0x15).op(3))) == damaged);
    CHECK(one.value(then(list, I().op(0x16))) == 2);           // swap
    CHECK(one.value(then(list, I().op(0x16).op(0x1c))) == 1);  // 3 - 2
    CHECK(one.value(then(list, I().op(0x17))) == 2);           // rot: 3 goes below, 2 comes up
    CHECK(one.value(then(list, I().op(0x17).op(0x13))) == 1);
    CHECK(one.value(then(list, I().op(0x17).op(0x13).op(0x13))) == 3);
    CHECK(one.value(I().op(0x13)) == damaged);
    CHECK(one.value({}) == damaged);
    CHECK(one.value(I().op(0x30).op(0x22)) == damaged);
    I deep;
    for (int count = 0; count < 64; ++count) deep.op(0x31);
    CHECK(one.value(deep) == 1);
    CHECK(one.value(deep.op(0x31)) == damaged);
}

TEST_CASE("Expressions compute as DWARF says", "[symbols][unwind]") {
    Computer one;
    CHECK(one.value(two(12, 10, 0x1a)) == 8);  // and
    CHECK(one.value(two(-7, 2, 0x1b)) == -3);  // div has a sign
    CHECK(one.value(two(7, 0, 0x1b)) == damaged);
    CHECK(one.value(two(INT64_MIN, -1, 0x1b)) == INT64_MIN);
    CHECK(one.value(two(7, 10, 0x1c)) == -3);  // minus
    CHECK(one.value(two(17, 5, 0x1d)) == 2);   // mod has none
    CHECK(one.value(two(17, 0, 0x1d)) == damaged);
    CHECK(one.value(two(-1, 10, 0x1d)) == 5);
    CHECK(one.value(two(6, 7, 0x1e)) == 42);   // mul
    CHECK(one.value(two(12, 3, 0x21)) == 15);  // or
    CHECK(one.value(two(12, 3, 0x22)) == 15);  // plus
    CHECK(one.value(two(12, 10, 0x27)) == 6);  // xor
    CHECK(one.value(two(3, 4, 0x24)) == 48);   // shl
    CHECK(one.value(two(3, 64, 0x24)) == 0);
    CHECK(one.value(two(-1, 60, 0x25)) == 15);  // shr
    CHECK(one.value(two(-1, 64, 0x25)) == 0);
    CHECK(one.value(two(-16, 2, 0x26)) == -4);  // shra
    CHECK(one.value(two(-16, 100, 0x26)) == -1);
    CHECK(one.value(two(16, 100, 0x26)) == 0);
    CHECK(one.value(I().op(0x11).sleb(-5).op(0x19)) == 5);  // abs
    CHECK(one.value(I().op(0x35).op(0x19)) == 5);
    CHECK(one.value(I().op(0x35).op(0x1f)) == -5);             // neg
    CHECK(one.value(I().op(0x35).op(0x20)) == ~5);             // not
    CHECK(one.value(I().op(0x35).op(0x23).uleb(300)) == 305);  // plus_uconst
    CHECK(one.value(I().op(0x35).op(0x96)) == 5);              // nop
    CHECK(one.value(I().op(0x35).op(0x9f)) == 5);              // stack_value
    const std::int64_t pairs[][2] = {{1, 2}, {2, 1}, {2, 2}, {-1, 1}, {1, -1}};
    for (const auto& [a, b] : pairs) {
        CHECK(one.value(two(a, b, 0x29)) == (a == b));
        CHECK(one.value(two(a, b, 0x2a)) == (a >= b));
        CHECK(one.value(two(a, b, 0x2b)) == (a > b));
        CHECK(one.value(two(a, b, 0x2c)) == (a <= b));
        CHECK(one.value(two(a, b, 0x2d)) == (a < b));
        CHECK(one.value(two(a, b, 0x2e)) == (a != b));
    }
}

TEST_CASE("Expressions of 32-bit programs have 32 bits", "[symbols][unwind]") {
    Computer one(ArchFamily::x86, 4);
    one.registers.set(4, 0xfffffff0);
    CHECK(one.value(I().op(0x74).sleb(0x20)) == 0x10);
    CHECK(one.value(two(7, 10, 0x1c)) == 0xfffffffd);
    CHECK(one.value(two(-7, 2, 0x1b)) == 0xfffffffd);
    CHECK(one.value(two(-1, 1, 0x2d)) == 1);
    CHECK(one.value(two(-16, 2, 0x26)) == 0xfffffffc);
    CHECK(one.value(two(-1, 28, 0x25)) == 15);
    CHECK(one.value(two(1, 32, 0x24)) == 0);
    CHECK(one.value(I().op(0x35).op(0x20)) == 0xfffffffa);
    CHECK(one.value(I().op(0x03).u32(0x5000)) == 0x5000);
    one.registers.set(4, 0x1000);
    CHECK(one.value(I().op(0x74).sleb(8).op(0x06)) == 0x0b0a0908);
}

TEST_CASE("Expressions branch, and always end", "[symbols][unwind]") {
    Computer one;
    CHECK(one.value(then(lit(7), I().op(0x2f).u16(1).op(0x38))) == 7);           // skip 8
    CHECK(one.value(then(lit(7), I().op(0x31).op(0x28).u16(1).op(0x38))) == 7);  // bra, taken
    CHECK(one.value(then(lit(7), I().op(0x30).op(0x28).u16(1).op(0x38))) == 8);  // not taken
    CHECK(one.value(then(lit(7), I().op(0x2f).u16(0))) == 7);
    CHECK(one.value(then(lit(7), I().op(0x2f).u16(1))) == damaged);
    CHECK(one.value(then(lit(7), I().op(0x2f).u16(0xfff0))) == damaged);
    CHECK(one.value(then(lit(7), I().op(0x28).op(0))) == damaged);
    // Count 100 down to 0.
    const auto loop = I().op(0x08).op(100).op(0x31).op(0x1c).op(0x12).op(0x28).u16(static_cast<std::uint16_t>(-6));
    CHECK(one.value(loop) == 0);
    CHECK(one.used == 401);
    // For ever.
    CHECK(one.value(then(lit(7), I().op(0x2f).u16(static_cast<std::uint16_t>(-3)))) == damaged);
    CHECK(one.used == 4096);
}

TEST_CASE("Expressions of rules begin with the CFA", "[symbols][unwind]") {
    Computer one;
    CHECK(one.value(I().op(0x9c)) == damaged);
    one.cfa = 0x1040;
    CHECK(one.value({}) == 0x1040);
    CHECK(one.value(I().op(0x38).op(0x1c)) == 0x1038);
    CHECK(one.value(I().op(0x13).op(0x9c)) == 0x1040);
}

TEST_CASE("Operations that need debug information, and unknown ones, are damage", "[symbols][unwind]") {
    Computer one;
    for (const unsigned operation : {0x00u, 0x18u, 0x91u, 0x93u, 0x95u, 0x97u, 0x98u, 0x9bu, 0xa0u, 0xe0u, 0xffu}) {
        CAPTURE(operation);
        CHECK(one.value(then(then(lit(1), lit(2)), I().op(operation))) == damaged);
    }
    // Operands that are cut off, and blocks that lie outside.
    CHECK(one.value(I().op(0x0e).u32(1)) == damaged);
    CHECK(one.value(I().op(0x77).op(0x80)) == damaged);
    const auto section = I().uleb(5).op(0x31).blob();
    const StackMemory memory({}, 0, AnyOrder());
    const ExpressionInput input{one.target, one.registers, memory, AnyOrder()};
    ExpressionBudget budget;
    CHECK(compute(section, 0, input, budget).outcome == StepOutcome::damaged);
    CHECK(compute(section, 1, input, budget).outcome == StepOutcome::damaged);
    CHECK(compute(section, 100, input, budget).outcome == StepOutcome::damaged);
}

TEST_CASE("The expression that linkers write for a PLT is right at each byte of a stub", "[symbols][unwind]") {
    // rsp + 8, and 8 more behind the push at byte 11.
    const auto plt = I().op(0x77).op(8).op(0x80).op(0).op(0x3f).op(0x1a).op(0x3b).op(0x2a).op(0x33).op(0x24).op(0x22);
    Computer one;
    for (std::uint64_t offset = 0; offset < 32; ++offset) {
        one.registers.set(16, 0x401000 + offset);
        CHECK(one.value(plt) == (offset % 16 >= 11 ? 0x1010 : 0x1008));
    }
}
