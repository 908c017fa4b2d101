// SPDX-License-Identifier: MIT
// Register values in samples, and the registers' names by architecture.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "perfdata/core/arch.hpp"
#include "perfdata/wire/sample/u64_view.hpp"

namespace perfdata {

// Numbering of a register mask: arch/*/include/uapi/asm/perf_regs.h.
enum class RegisterSet : std::uint8_t { unknown, x86, arm64, arm, s390, riscv, powerpc };

// register_set(arch) takes a name as printed by `uname -m`.
constexpr RegisterSet register_set(std::string_view arch) {
    const auto* known = find_arch(arch);
    if (known == nullptr) return RegisterSet::unknown;
    switch (known->family) {
        case ArchFamily::x86: return RegisterSet::x86;
        case ArchFamily::arm64: return RegisterSet::arm64;
        case ArchFamily::arm: return RegisterSet::arm;
        case ArchFamily::s390: return RegisterSet::s390;
        case ArchFamily::riscv: return RegisterSet::riscv;
        case ArchFamily::powerpc: return RegisterSet::powerpc;
        case ArchFamily::mips:
        case ArchFamily::loongarch: break;
    }
    return RegisterSet::unknown;
}

// register_name(set, bit) returns the name of the register with this bit in the mask; empty if unknown.
constexpr std::string_view register_name(RegisterSet set, unsigned bit) {
    constexpr std::string_view x86[] = {"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
                                        "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15"};
    constexpr std::string_view xmm[] = {"XMM0", "XMM1", "XMM2",  "XMM3",  "XMM4",  "XMM5",  "XMM6",  "XMM7",
                                        "XMM8", "XMM9", "XMM10", "XMM11", "XMM12", "XMM13", "XMM14", "XMM15"};
    constexpr std::string_view arm64[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
                                          "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
                                          "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc"};
    constexpr std::string_view arm[] = {"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
                                        "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc"};
    constexpr std::string_view s390[] = {"R0",   "R1",   "R2",   "R3",   "R4",   "R5",   "R6",  "R7",  "R8",
                                         "R9",   "R10",  "R11",  "R12",  "R13",  "R14",  "R15", "FP0", "FP1",
                                         "FP2",  "FP3",  "FP4",  "FP5",  "FP6",  "FP7",  "FP8", "FP9", "FP10",
                                         "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC"};
    constexpr std::string_view riscv[] = {"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                          "a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                          "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    constexpr std::string_view powerpc[] = {"r0",   "r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",      "r8",
                                            "r9",   "r10", "r11", "r12",   "r13",  "r14", "r15",   "r16",     "r17",
                                            "r18",  "r19", "r20", "r21",   "r22",  "r23", "r24",   "r25",     "r26",
                                            "r27",  "r28", "r29", "r30",   "r31",  "nip", "msr",   "orig_r3", "ctr",
                                            "link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier",    "mmcra"};
    const auto named = [&](const auto& names) { return bit < std::size(names) ? names[bit] : std::string_view{}; };
    switch (set) {
        case RegisterSet::x86:
            if (bit >= 32) return xmm[(bit - 32) / 2 % std::size(xmm)];  // two bits each: low and high half
            return named(x86);
        case RegisterSet::arm64: return bit == 46 ? "vg" : named(arm64);
        case RegisterSet::arm: return named(arm);
        case RegisterSet::s390: return named(s390);
        case RegisterSet::riscv: return named(riscv);
        case RegisterSet::powerpc: return named(powerpc);
        case RegisterSet::unknown: break;
    }
    return {};
}

// Registers is REGS_USER or REGS_INTR of one sample: one value per set bit of the mask, lowest bit first. It is empty
// if abi() is 0 (a kernel thread has no user registers).
template <class Order>
class Registers {
  public:
    // `values` has one word for each bit of `mask`, or none.
    Registers(std::uint64_t abi, std::uint64_t mask, U64View<Order> values) : abi_(abi), mask_(mask), values_(values) {}

    // abi() is 0 for none, 1 for a 32-bit process, 2 for a 64-bit one.
    std::uint64_t abi() const { return abi_; }
    std::uint64_t mask() const { return mask_; }
    const U64View<Order>& values() const { return values_; }

    // value(bit) returns the value of the register with this bit.
    std::optional<std::uint64_t> value(unsigned bit) const {
        if (bit >= 64 || (mask_ >> bit & 1) == 0) return {};
        const auto index = static_cast<std::size_t>(std::popcount(mask_ & ((std::uint64_t{1} << bit) - 1)));
        if (index >= values_.size()) return {};
        return values_[index];
    }
    // for_each(visit) calls visit(bit, value).
    template <class Visit>
    void for_each(Visit&& visit) const {
        auto rest = mask_;
        for (const auto value : values_) {
            visit(static_cast<unsigned>(std::countr_zero(rest)), value);
            rest &= rest - 1;
        }
    }

  private:
    std::uint64_t abi_;
    std::uint64_t mask_;
    U64View<Order> values_;
};

}  // namespace perfdata
