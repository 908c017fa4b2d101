// SPDX-License-Identifier: MIT
// What unwinding must know of a processor: its registers by slot, and which of them lead to the caller.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/arch.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// A slot is a dense number, below 64, of a register that unwinding may need. Slots follow DWARF's numbers where these
// are small; vector registers have none, nor have others that no caller's address depends on.
//
//   x86-64   0 to 16  rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, return address
//   i386     0 to 8   eax ecx edx ebx esp ebp esi edi, return address
//   arm64    0 to 31  x0 to x30, sp; 32 is DWARF's 96, the alternate return column
//   arm      0 to 15  r0 to r15
//   s390     0 to 31  r0 to r15, then the floating-point registers in DWARF's order: f0 f2 f4 f6 f1 f3 f5 f7 f8 f10 ...
//   powerpc  0 to 34  r0 to r31, lr (DWARF's 65), ctr (66), alternate return column (67)
//   riscv    0 to 32  x0 to x31; 32 is DWARF's 64, the alternate return column
using Slot = std::uint8_t;

inline constexpr unsigned slot_count = 64;
inline constexpr Slot no_slot = 0xff;
inline constexpr Slot pc_slot = 0xfe;  // only answered by perf_slot(): the program counter, which is no slot

// UnwindTarget is the program's architecture, which may be narrower than the machine's (a 32-bit process).
class UnwindTarget {
  public:
    // Returns nothing for architectures whose registers perf does not record: MIPS, LoongArch.
    static std::optional<UnwindTarget> of(ArchFamily family, unsigned address_bytes);
    // Returns the architecture of a process on a machine by the ABI of its registers (Registers::abi): 1 is a 32-bit
    // process, 2 one of 64 bits. Nothing for others: it has no registers.
    static std::optional<UnwindTarget> of_process(const Arch& machine, std::uint64_t abi);

    ArchFamily family() const { return family_; }
    unsigned address_bytes() const { return address_bytes_; }
    // Returns the bits of an address.
    std::uint64_t address_mask() const { return address_mask_; }
    Slot stack_pointer() const { return stack_pointer_; }
    Slot frame_pointer() const { return frame_pointer_; }
    // Returns the slot that holds the return address when a function begins; on x86 the slot that no function keeps in
    // a register.
    Slot return_slot() const { return return_slot_; }
    // Returns true where a call leaves the return address in a register, not on the stack.
    bool has_link_register() const { return family_ != ArchFamily::x86; }
    // Returns true where the caller's stack pointer is the canonical frame address (CFA) unless a rule says more.
    // On s390 the CFA lies above the area that the caller keeps for its callee, and a rule says what changed.
    bool stack_pointer_is_cfa() const { return family_ != ArchFamily::s390; }

    // Returns true where a stack pointer may be any number: x86 lets programs push and call at odd addresses. Other
    // ABIs want stacks aligned, and most processors do, too.
    bool stack_may_be_odd() const { return family_ == ArchFamily::x86; }

    // Returns the slot of a DWARF register number; no_slot if it has none.
    Slot slot(std::uint64_t dwarf) const;
    // Returns the DWARF register number of a slot; nothing if there is no such slot.
    std::optional<unsigned> dwarf_number(Slot slot) const;
    // Returns the slot of a register in a sample by its bit in the mask (arch/*/include/uapi/asm/perf_regs.h), or
    // pc_slot; no_slot if unwinding has no use for it. The bits of an Arm process on an arm64 machine are arm64's:
    // 0 to 14 and 15 or 32 (arch/arm64/kernel/perf_regs.c).
    Slot perf_slot(unsigned bit) const;

    // Returns the address of the code that a return address leads to: without the Thumb bit of Arm and the addressing
    // mode of 31-bit s390.
    std::uint64_t code_address(std::uint64_t value) const { return value & code_mask_; }

    bool operator==(const UnwindTarget&) const = default;

  private:
    UnwindTarget() = default;

    ArchFamily family_ = ArchFamily::x86;
    std::uint8_t address_bytes_ = 8;
    Slot stack_pointer_ = 0, frame_pointer_ = 0, return_slot_ = 0;
    std::uint64_t address_mask_ = 0, code_mask_ = 0;
};

}  // namespace perfdata
