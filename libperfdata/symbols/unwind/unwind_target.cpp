// SPDX-License-Identifier: MIT
#include "unwind_target.hpp"

#include <array>
#include <iterator>

namespace perfdata {
namespace {

// DWARF's number and slot of a register whose number is no slot.
struct MovedRegister {
    unsigned dwarf;
    Slot slot;
};

// The first `identical` DWARF numbers are slots.
struct RegisterLayout {
    unsigned identical;
    std::array<MovedRegister, 3> moved;  // those with slot 0 are none
};

RegisterLayout layout_of(ArchFamily family, unsigned address_bytes) {
    switch (family) {
        case ArchFamily::x86: return {address_bytes == 8 ? 17u : 9u, {}};
        case ArchFamily::arm64: return {32, {{{96, 32}}}};
        case ArchFamily::arm: return {16, {}};
        case ArchFamily::s390: return {32, {}};
        // 67 is the program counter in the vDSO's signal frames.
        case ArchFamily::powerpc: return {32, {{{65, 32}, {66, 33}, {67, 34}}}};
        case ArchFamily::riscv: return {32, {{{64, 32}}}};
        case ArchFamily::mips:
        case ArchFamily::loongarch: break;
    }
    return {};
}

template <std::size_t Size>
Slot at_bit(const std::array<Slot, Size>& slots, unsigned bit) {
    return bit < Size ? slots[bit] : no_slot;
}

// In the order of arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP, FLAGS and segments, R8 to R15.
constexpr std::array<Slot, 24> x86_64_slots = {0,       3,       2,       1,       4,       5,       6,       7,
                                               pc_slot, no_slot, no_slot, no_slot, no_slot, no_slot, no_slot, no_slot,
                                               8,       9,       10,      11,      12,      13,      14,      15};
constexpr std::array<Slot, 9> i386_slots = {0, 3, 1, 2, 6, 7, 5, 4, pc_slot};

// DWARF's order of the floating-point registers of s390: 16 to 31 are these.
constexpr std::array<unsigned, 16> s390_float_order = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};

Slot s390_slot(unsigned bit) {
    if (bit < 16) return static_cast<Slot>(bit);
    if (bit == 33) return pc_slot;  // 32 is the mask of the program status word
    for (unsigned at = 0; at < s390_float_order.size(); ++at) {
        if (bit == 16 + s390_float_order[at]) return static_cast<Slot>(16 + at);
    }
    return no_slot;
}

Slot powerpc_slot(unsigned bit) {
    if (bit < 32) return static_cast<Slot>(bit);
    switch (bit) {
        case 32: return pc_slot;  // nip
        case 35: return 33;       // ctr
        case 36: return 32;       // link
        default: return no_slot;
    }
}

}  // namespace

std::optional<UnwindTarget> UnwindTarget::of(ArchFamily family, unsigned address_bytes) {
    if (address_bytes != 4 && address_bytes != 8) return {};
    UnwindTarget target;
    target.family_ = family;
    target.address_bytes_ = static_cast<std::uint8_t>(address_bytes);
    target.address_mask_ = address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    target.code_mask_ = target.address_mask_;
    const auto set = [&](Slot stack_pointer, Slot frame_pointer, Slot return_slot) {
        target.stack_pointer_ = stack_pointer;
        target.frame_pointer_ = frame_pointer;
        target.return_slot_ = return_slot;
    };
    switch (family) {
        case ArchFamily::x86:
            if (address_bytes == 8) {
                set(7, 6, 16);
            } else {
                set(4, 5, 8);
            }
            return target;
        case ArchFamily::arm64: set(31, 29, 30); return target;
        case ArchFamily::arm:
            set(13, 11, 14);
            target.code_mask_ &= ~std::uint64_t{1};
            return target;
        case ArchFamily::s390:
            set(15, 11, 14);
            if (address_bytes == 4) target.code_mask_ >>= 1;
            return target;
        case ArchFamily::powerpc: set(1, 31, 32); return target;
        case ArchFamily::riscv: set(2, 8, 1); return target;
        case ArchFamily::mips:
        case ArchFamily::loongarch: break;
    }
    return {};
}

std::optional<UnwindTarget> UnwindTarget::of_process(const Arch& machine, std::uint64_t abi) {
    if (abi != 1 && abi != 2) return {};
    const bool narrow = abi == 1;
    return of(narrow && machine.family == ArchFamily::arm64 ? ArchFamily::arm : machine.family, narrow ? 4 : 8);
}

Slot UnwindTarget::slot(std::uint64_t dwarf) const {
    const auto layout = layout_of(family_, address_bytes_);
    if (dwarf < layout.identical) return static_cast<Slot>(dwarf);
    for (const auto& moved : layout.moved) {
        if (moved.slot != 0 && moved.dwarf == dwarf) return moved.slot;
    }
    return no_slot;
}

std::optional<unsigned> UnwindTarget::dwarf_number(Slot slot) const {
    const auto layout = layout_of(family_, address_bytes_);
    if (slot < layout.identical) return slot;
    for (const auto& moved : layout.moved) {
        if (moved.slot != 0 && moved.slot == slot) return moved.dwarf;
    }
    return {};
}

Slot UnwindTarget::perf_slot(unsigned bit) const {
    switch (family_) {
        case ArchFamily::x86: return address_bytes_ == 8 ? at_bit(x86_64_slots, bit) : at_bit(i386_slots, bit);
        case ArchFamily::arm64: return bit < 32 ? static_cast<Slot>(bit) : bit == 32 ? pc_slot : no_slot;
        case ArchFamily::arm: return bit < 15 ? static_cast<Slot>(bit) : bit == 15 || bit == 32 ? pc_slot : no_slot;
        case ArchFamily::s390: return s390_slot(bit);
        case ArchFamily::powerpc: return powerpc_slot(bit);
        case ArchFamily::riscv: return bit == 0 ? pc_slot : bit < 32 ? static_cast<Slot>(bit) : no_slot;
        case ArchFamily::mips:
        case ArchFamily::loongarch: break;
    }
    return no_slot;
}

}  // namespace perfdata
