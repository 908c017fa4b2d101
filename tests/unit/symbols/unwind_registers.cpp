// SPDX-License-Identifier: MIT
// Registers of samples, of DWARF, and their slots.
#include <map>

#include "catch.hpp"
#include "symbols/unwind/register_file.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Architecture {
    ArchFamily family;
    unsigned address_bytes;
    RegisterSet set;
};
constexpr Architecture all[] = {
    {ArchFamily::x86, 8, RegisterSet::x86},         {ArchFamily::x86, 4, RegisterSet::x86},
    {ArchFamily::arm64, 8, RegisterSet::arm64},     {ArchFamily::arm, 4, RegisterSet::arm},
    {ArchFamily::s390, 8, RegisterSet::s390},       {ArchFamily::s390, 4, RegisterSet::s390},
    {ArchFamily::powerpc, 8, RegisterSet::powerpc}, {ArchFamily::powerpc, 4, RegisterSet::powerpc},
    {ArchFamily::riscv, 8, RegisterSet::riscv},     {ArchFamily::riscv, 4, RegisterSet::riscv},
};

// by_name(one) returns the slots of the registers in samples by perf's names.
std::map<std::string, unsigned> by_name(const Architecture& one) {
    std::map<std::string, unsigned> slots;
    const auto target = target_of(one.family, one.address_bytes);
    for (unsigned bit = 0; bit < 64; ++bit) {
        const auto name = std::string(register_name(one.set, bit));
        if (!name.empty() && target.perf_slot(bit) != no_slot) slots[name] = target.perf_slot(bit);
    }
    return slots;
}

// in_order(names) numbers them from 0.
std::map<std::string, unsigned> in_order(std::initializer_list<const char*> names) {
    std::map<std::string, unsigned> numbers;
    for (const auto* name : names) numbers.emplace(name, static_cast<unsigned>(numbers.size()));
    return numbers;
}

}  // namespace

TEST_CASE("Slots and DWARF numbers lead to each other", "[symbols][unwind]") {
    for (const auto& one : all) {
        const auto target = target_of(one.family, one.address_bytes);
        std::size_t count = 0;
        for (Slot slot = 0; slot < slot_count; ++slot) {
            const auto number = target.dwarf_number(slot);
            if (!number) continue;
            ++count;
            CHECK(target.slot(*number) == slot);
        }
        CHECK(count >= 9);
        CHECK(target.slot(UINT64_MAX) == no_slot);
        CHECK(target.slot(63) == no_slot);
        for (const auto slot : {target.stack_pointer(), target.frame_pointer(), target.return_slot()}) {
            CHECK(target.dwarf_number(slot).has_value());
        }
    }
    CHECK_FALSE(UnwindTarget::of(ArchFamily::mips, 8));
    CHECK_FALSE(UnwindTarget::of(ArchFamily::loongarch, 8));
    CHECK_FALSE(UnwindTarget::of(ArchFamily::x86, 2));
    CHECK(target_of(ArchFamily::powerpc).slot(65) == target_of(ArchFamily::powerpc).return_slot());
    CHECK(target_of(ArchFamily::arm64).slot(96) == 32);
    CHECK(target_of(ArchFamily::riscv).slot(64) == 32);
}

TEST_CASE("Registers of samples are those of DWARF with the same name", "[symbols][unwind]") {
    // DWARF's orders, from the ABIs' supplements; pc is no slot.
    auto x86_64 = in_order(
        {"AX", "DX", "CX", "BX", "SI", "DI", "BP", "SP", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"});
    x86_64["IP"] = pc_slot;
    CHECK(by_name(all[0]) == x86_64);
    auto i386 = in_order({"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"});
    i386["IP"] = pc_slot;
    CHECK(by_name(all[1]) == i386);
    auto arm64 = by_name(all[2]);
    CHECK(arm64.size() == 33);
    CHECK(arm64["x0"] == 0);
    CHECK(arm64["x29"] == 29);
    CHECK(arm64["lr"] == 30);
    CHECK(arm64["sp"] == 31);
    CHECK(arm64["pc"] == pc_slot);
    auto arm = by_name(all[3]);
    CHECK(arm.size() == 16);
    CHECK(arm["r10"] == 10);
    CHECK(arm["fp"] == 11);
    CHECK(arm["sp"] == 13);
    CHECK(arm["lr"] == 14);
    CHECK(arm["pc"] == pc_slot);
    auto s390 = in_order({"R0",  "R1",  "R2",  "R3",   "R4",   "R5",   "R6",  "R7",   "R8",   "R9",  "R10",
                          "R11", "R12", "R13", "R14",  "R15",  "FP0",  "FP2", "FP4",  "FP6",  "FP1", "FP3",
                          "FP5", "FP7", "FP8", "FP10", "FP12", "FP14", "FP9", "FP11", "FP13", "FP15"});
    s390["PC"] = pc_slot;
    CHECK(by_name(all[4]) == s390);
    auto powerpc = by_name(all[6]);
    CHECK(powerpc.size() == 35);
    CHECK(powerpc["r31"] == 31);
    CHECK(powerpc["link"] == target_of(ArchFamily::powerpc).slot(65));
    CHECK(powerpc["ctr"] == target_of(ArchFamily::powerpc).slot(66));
    CHECK(powerpc["nip"] == pc_slot);
    auto riscv =
        in_order({"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                  "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"});
    riscv.erase("zero");
    riscv["pc"] = pc_slot;
    CHECK(by_name(all[8]) == riscv);
}

TEST_CASE("A sample's registers are taken with their mask", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // BX, SP, IP, CS, R8 of x86.
    constexpr std::uint64_t mask = 1 << 1 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 16;
    const auto values = Writer(order).u64(11).u64(0x7000).u64(0x400100).u64(0x33).u64(88).take();
    const auto read = [&]<std::endian E>(const UnwindTarget& target, FixedOrder<E>) {
        return registers_of_sample(target,
                                   Registers<FixedOrder<E>>(2, mask, U64View<FixedOrder<E>>(values.data(), 5, {})));
    };
    const auto taken = [&](const UnwindTarget& target) {
        return order == std::endian::little ? read(target, FixedOrder<std::endian::little>())
                                            : read(target, FixedOrder<std::endian::big>());
    };
    const auto registers = taken(target_of(ArchFamily::x86));
    CHECK(registers.value(3) == 11);
    CHECK(registers.value(7) == 0x7000);
    CHECK(registers.pc == 0x400100);
    CHECK(registers.value(16) == 0x400100);
    CHECK(registers.value(8) == 88);
    CHECK(registers.known_slots() == (1 << 3 | 1 << 7 | 1 << 16 | 1 << 8));
    CHECK_FALSE(registers.known(0));
    CHECK_FALSE(registers.known(no_slot));
    CHECK(registers.value(no_slot) == 0);
    const auto narrow = taken(target_of(ArchFamily::x86, 4));
    CHECK(narrow.value(3) == 11);
    CHECK(narrow.value(4) == 0x7000);
    CHECK(narrow.known_slots() == (1 << 3 | 1 << 4 | 1 << 8));
}

TEST_CASE("An Arm process on an arm64 machine has its registers at arm64's bits", "[symbols][unwind]") {
    const auto target = target_of(ArchFamily::arm, 4);
    CHECK(target.perf_slot(13) == 13);
    CHECK(target.perf_slot(14) == 14);
    CHECK(target.perf_slot(15) == pc_slot);
    CHECK(target.perf_slot(32) == pc_slot);
    CHECK(target.perf_slot(31) == no_slot);
    CHECK(target.code_address(0x10201) == 0x10200);
}

TEST_CASE("A process may be narrower than its machine", "[symbols][unwind]") {
    const auto of = [](std::string_view machine, std::uint64_t abi) {
        return UnwindTarget::of_process(*find_arch(machine), abi);
    };
    CHECK(of("x86_64", 2) == target_of(ArchFamily::x86));
    CHECK(of("x86_64", 1) == target_of(ArchFamily::x86, 4));
    CHECK(of("i686", 1) == target_of(ArchFamily::x86, 4));
    CHECK(of("aarch64", 2) == target_of(ArchFamily::arm64));
    CHECK(of("aarch64", 1) == target_of(ArchFamily::arm, 4));
    CHECK(of("armv7l", 1) == target_of(ArchFamily::arm, 4));
    CHECK(of("s390x", 1) == target_of(ArchFamily::s390, 4));
    CHECK_FALSE(of("x86_64", 0));
    CHECK_FALSE(of("x86_64", 3));
    CHECK_FALSE(of("mips64", 2));
}
