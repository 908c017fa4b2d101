// SPDX-License-Identifier: MIT
// Unwind tables of Arm, made by hand.
#include "symbols/unwind/arm_exidx.hpp"

#include <vector>

#include "catch.hpp"
#include "support/random.hpp"
#include "symbols/unwind/frame_step.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t index_at = 0x20000, table_at = 0x18000;
using Bytes8 = std::vector<unsigned>;

// ArmCase writes both sections.
struct ArmCase {
    explicit ArmCase(std::endian in_order = std::endian::little) : order(in_order), index(in_order), table(in_order) {}

    std::uint32_t distance(std::uint64_t from, std::uint64_t to) const {
        return static_cast<std::uint32_t>(to - from) & 0x7fffffff;
    }
    ArmCase& entry(std::uint64_t function, std::uint32_t word) {
        index.u32(distance(index_at + index.size(), function)).u32(word);
        return *this;
    }
    // entry_in_table(function) points to what is written into the table next.
    ArmCase& entry_in_table(std::uint64_t function) {
        const auto here = index_at + index.size();
        return entry(function, distance(here + 4, table_at + table.size()));
    }
    // operations(first, bytes) fills words, the first of which has `used` bytes above those.
    ArmCase& operations(std::uint32_t first, unsigned used, const Bytes8& bytes) {
        std::uint32_t word = first;
        unsigned room = 4 - used;
        for (const auto byte : bytes) {
            if (room == 0) {
                table.u32(word);
                word = 0;
                room = 4;
            }
            word |= byte << 8 * --room;
        }
        while (room != 0) word |= 0xb0u << 8 * --room;
        table.u32(word);
        return *this;
    }
    ArmExidx open() {
        ArmTables tables;
        tables.order = AnyOrder(order);
        tables.index = index.blob();
        tables.index_address = index_at;
        tables.table = table.blob();
        tables.table_address = table_at;
        tables.table_file_offset = 0x8000;
        tables.code_end = code_end;
        return ArmExidx::open(tables).value();
    }
    std::string row(std::uint64_t vaddr) {
        const auto found = open().row_at(vaddr, spill);
        if (!found) return found.error().detail;
        if (!*found) return "none";
        if ((*found)->has(UnwindRow::refused)) return "refused";
        CHECK((*found)->has(UnwindRow::calls_only));
        return words(**found, spill) + " return " + std::to_string((*found)->return_slot);
    }

    std::endian order;
    Writer index, table;
    std::uint64_t code_end = 0x2000;
    RuleSpill spill;
};

// row_of(bytes) returns the row of a function with these operations.
std::string row_of(const Bytes8& bytes) {
    ArmCase one;
    const auto words = static_cast<std::uint32_t>((bytes.size() + 1) / 4);
    one.entry_in_table(0x1000).operations(0x81000000u | words << 16, 2, bytes);
    return one.row(0x1000);
}

}  // namespace

TEST_CASE("Operations of Arm's tables undo a prologue", "[symbols][unwind]") {
    CHECK(row_of({}) == "13+0 return 14");
    CHECK(row_of({0x00}) == "13+4 return 14");
    CHECK(row_of({0x3f}) == "13+256 return 14");
    CHECK(row_of({0x40}) == "13-4 return 14");
    CHECK(row_of({0x7f}) == "13-256 return 14");
    CHECK(row_of({0x80, 0x08}) == "13+4 7:[-4] return 14");
    CHECK(row_of({0x8f, 0x00}) == "13+16 12:[-16] 13:[-12] 14:[-8] 15:[-4] return 15");
    CHECK(row_of({0x80, 0x00}) == "refused");
    CHECK(row_of({0x97, 0x43}) == "7-16 return 14");
    CHECK(row_of({0x9b, 0x40, 0x84, 0x80}) == "11+4 11:[-8] 14:[-4] return 14");
    CHECK(row_of({0xa0}) == "13+4 4:[-4] return 14");
    CHECK(row_of({0xa7}) == "13+32 4:[-32] 5:[-28] 6:[-24] 7:[-20] 8:[-16] 9:[-12] 10:[-8] 11:[-4] return 14");
    CHECK(row_of({0xa9}) == "13+12 4:[-12] 5:[-8] 14:[-4] return 14");
    CHECK(row_of({0xb0, 0x00}) == "13+0 return 14");
    CHECK(row_of({0xb1, 0x0f}) == "13+16 0:[-16] 1:[-12] 2:[-8] 3:[-4] return 14");
    CHECK(row_of({0xb2, 0x00}) == "13+516 return 14");
    CHECK(row_of({0xb2, 0x81, 0x01}) == "13+1032 return 14");
    CHECK(row_of({0xb3, 0x83}) == "13+36 return 14");  // d8 to d11 by FSTMX
    CHECK(row_of({0xb4}) == "13+4 return 14");
    CHECK(row_of({0xb5}) == "13+0 return 14");
    CHECK(row_of({0xb9}) == "13+20 return 14");  // d8, d9 by FSTMX
    CHECK(row_of({0xc2}) == "13+24 return 14");
    CHECK(row_of({0xc6, 0x01}) == "13+16 return 14");
    CHECK(row_of({0xc7, 0x05}) == "13+8 return 14");
    CHECK(row_of({0xc8, 0x02}) == "13+24 return 14");
    CHECK(row_of({0xc9, 0x82}) == "13+24 return 14");
    CHECK(row_of({0xd1}) == "13+16 return 14");
    // What a row's doc draws.
    CHECK(row_of({0x01, 0x84, 0x81}) == "13+20 4:[-12] 11:[-8] 14:[-4] return 14");
}

TEST_CASE("Operations that a row cannot express, or that nobody knows, are refused", "[symbols][unwind]") {
    for (const unsigned code : {0x9du, 0x9fu, 0xb6u, 0xb7u, 0xcau, 0xcfu, 0xd8u, 0xe0u, 0xffu}) {
        CAPTURE(code);
        CHECK(row_of({code}) == "operation 0 of a function is unknown");
    }
    CHECK(row_of({0xb1, 0x00}) == "operation 0 of a function is unknown");
    CHECK(row_of({0xb1, 0x10}) == "operation 0 of a function is unknown");
    CHECK(row_of({0xc7, 0x00}) == "operation 0 of a function is unknown");
    CHECK(row_of({0xa0, 0x97}) == "operation 1 of a function moves the stack pointer after registers have been popped");
    CHECK(row_of({0x82, 0x00, 0x00}) == "operation 2 of a function goes on behind a new stack pointer");
    CHECK(row_of({0x00, 0x00, 0x00, 0x00, 0x00, 0x80}) == "operation 5 of a function is cut off");
    CHECK(row_of({0xb2, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}) == "operation 0 of a function has an impossible number");
    CHECK(row_of({0xb2, 0xff, 0xff, 0xff, 0xff, 0x7f}) == "operation 0 of a function moves the stack pointer very far");
}

TEST_CASE("Each model of Arm's tables is read, in both byte orders", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    ArmCase one(order);
    one.entry(0x1000, 0x80a8b0b0);  // in the index
    one.entry(0x1100, 1);
    one.entry_in_table(0x1200).operations(0x80000000, 1, {0xa8});
    one.entry_in_table(0x1300).operations(0x81010000, 2, {0x00, 0x00, 0xa8});
    one.entry_in_table(0x1400).operations(0x82010000, 2, {0x00, 0x00, 0xa8});
    one.entry_in_table(0x1500);
    one.table.u32(one.distance(table_at + one.table.size(), 0x500));  // a personality routine of its own
    one.operations(0x01000000, 1, {0x00, 0x00, 0x00, 0xa8});
    const std::string r4 = " 4:[-8] 14:[-4] return 14";
    CHECK(one.row(0xfff) == "none");
    CHECK(one.row(0x1000) == "13+8" + r4);
    CHECK(one.row(0x10ff) == "13+8" + r4);
    CHECK(one.row(0x1100) == "refused");
    CHECK(one.row(0x1200) == "13+8" + r4);
    CHECK(one.row(0x1300) == "13+16" + r4);
    CHECK(one.row(0x1400) == "13+16" + r4);
    CHECK(one.row(0x1500) == "13+20" + r4);
    CHECK(one.row(0x1fff) == "13+20" + r4);
    CHECK(one.row(0x2000) == "none");
    const auto row = one.open().row_at(0x1250, one.spill).value().value();
    CHECK(row.begin == 0x1200);
    CHECK(row.end() == 0x1300);
    CHECK(one.open().size() == 6);
}

TEST_CASE("Entries that are not in order are found all the same", "[symbols][unwind]") {
    ArmCase one;
    one.entry(0x1200, 0x8000b0b0).entry(0x1000, 0x8001b0b0).entry(0x1100, 0x8002b0b0);
    CHECK(one.row(0x1000) == "13+8 return 14");
    CHECK(one.row(0x1180) == "13+12 return 14");
    CHECK(one.row(0x1200) == "13+4 return 14");
}

TEST_CASE("Damage of Arm's tables is told with its place", "[symbols][unwind]") {
    ArmCase outside;
    outside.entry(0x1000, 0x100);
    CHECK(outside.row(0x1000) == "an entry lies outside of .ARM.extab");
    ArmCase model;
    model.entry(0x1000, 0x81000000);
    CHECK(model.row(0x1000) == "an entry has a model that does not fit into it");
    ArmCase unknown;
    unknown.entry_in_table(0x1000).operations(0x83000000, 2, {});
    CHECK(unknown.row(0x1000) == "an entry has an unknown model");
    ArmCase cut;
    cut.entry_in_table(0x1000).operations(0x81020000, 2, {});
    const auto error = cut.open().row_at(0x1000, cut.spill).error();
    CHECK(error.code == ErrorCode::truncated);
    CHECK(error.where == ".ARM.extab");
    CHECK(error.offset == 0x8004);
    ArmTables tables;
    const auto words = Writer(std::endian::little).u32(0).u32(1).u32(0x80000000).u32(1).take();
    tables.index = words;
    tables.index_file_offset = 0x300;
    const auto opened = ArmExidx::open(tables);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().offset == 0x308);
    CHECK(ArmExidx::open({}).value().size() == 0);
}

TEST_CASE("A row of Arm's tables leads to the caller", "[symbols][unwind]") {
    ArmCase one;
    one.entry(0x1000, 0x8001a9b0);  // vsp + 8, pop r4, r5, lr
    const auto row = one.open().row_at(0x1010, one.spill).value().value();
    const auto target = target_of(ArchFamily::arm, 4);
    const auto stack = Writer(std::endian::little).zeros(8).u32(44).u32(55).u32(0x10201).take();
    const StackMemory memory(stack, 0x7000, AnyOrder(std::endian::little));
    RegisterFile registers;
    registers.pc = 0x1010;
    registers.set(13, 0x7000);
    ExpressionBudget budget;
    REQUIRE(step(target, row, {&one.spill, {}, {}, 0, {}}, memory, registers, budget) == StepOutcome::ok);
    CHECK(registers.pc == 0x10200);
    CHECK(registers.value(4) == 44);
    CHECK(registers.value(5) == 55);
    CHECK(registers.value(13) == 0x7014);
}

TEST_CASE("Any bytes of Arm's tables end in a row, none, or an error", "[symbols][unwind]") {
    Random random(GENERATE(1u, 2u));
    std::size_t rows = 0;
    for (int round = 0; round < 3000; ++round) {
        Writer entries(std::endian::little);
        for (auto count = 1 + random.below(4); count != 0; --count) {
            entries.u32(random.u32() & 0x7fffffff);
            entries.u32(random.one_in(2) ? random.u32() & 0xff : 0x80000000 | (random.u32() & 0xffffff));
        }
        const auto index = entries.take(), table = random.bytes(4 * random.size(256));
        ArmTables tables;
        tables.index = index;
        tables.table = table;
        tables.index_address = tables.table_address = 0x1000;
        const auto exidx = ArmExidx::open(tables);
        if (!exidx) continue;
        RuleSpill spill;
        for (std::size_t count = 0; count < 20; ++count) {
            const auto vaddr = std::uint64_t{random.u32()};
            const auto row = exidx->row_at(vaddr, spill);
            if (!row || !*row) continue;
            REQUIRE((*row)->contains(vaddr));
            ++rows;
        }
    }
    CHECK(rows > 100);
}
