// SPDX-License-Identifier: MIT
// Goes from a frame to its caller's without unwind information, by what most code does.
#pragma once

#include <cstdint>

#include "symbols/unwind/frame_step.hpp"

namespace perfdata {

// Replaces the registers by those of the caller, as far as the chain of frames tells: the program counter, the frame
// pointer and, where the chain says so, the stack pointer. All other registers become unknown, for nothing says which
// of them the function saved. Changes nothing unless it returns ok.
//
// It works for functions that keep a frame pointer (-fno-omit-frame-pointer) and have set it up: not in a prologue, an
// epilogue, or a leaf without frame, where it finds the caller's caller. What is read where:
//
//              points to        caller's frame pointer    return address    caller's stack pointer
//   x86        saved rbp        [rbp]                     [rbp + 8]         rbp + 16
//   i386       saved ebp        [ebp]                     [ebp + 4]         ebp + 8
//   arm64      frame record     [x29]                     [x29 + 8]         unknown
//   riscv      end of frame     [s0 - 16]                 [s0 - 8]          s0; in leaves [s0 - 8] is the caller's s0
//   arm        saved pair       [r11], or [r11 - 4]       [r11 + 4], [r11]  behind the pair (clang's way; gcc's way)
//              r7 in Thumb code if r11 leads nowhere: [r7], [r7 + 4]
//   s390x      (back chain)     r15: [r15] is the caller's r15; the return address is at 112 above that
//   ppc64      (back chain)     r1: [r1] is the caller's r1; the return address is at 16 above that
//
// The back chains of 32-bit s390 and PowerPC have the return address at 56 and 4. s390's exists in code built with
// -mbackchain only.
StepOutcome step_by_frame_pointer(const UnwindTarget& target, const StackMemory& memory, RegisterFile& registers);

// Steps out of code that has no frame: the return address is in its register, or on top of the stack below `pushed`
// words. Registers keep their values.
StepOutcome step_from_leaf(const UnwindTarget& target, const StackMemory& memory, RegisterFile& registers,
                           unsigned pushed = 0);

// Returns how many words lie above the return address in a stub of an x86 section .plt, whose first stub calls the
// dynamic linker. offset: of the pc in the section. Stubs of .plt.sec and .plt.got push nothing.
//
//      first:  push GOT[1]           at 0: one (pushed by the stub that came here); from 6: two
//              jmp *GOT[2]
//      others: jmp *GOT[n]           from 11: one. With indirect branch tracking: endbr64, push at 4, from 9: one
//              push n
//              jmp first
constexpr unsigned words_pushed_in_plt(std::uint64_t offset, bool branch_tracking) {
    const auto in_stub = offset % 16;
    if (offset < 16) return in_stub < 6 ? 1 : 2;
    return in_stub < (branch_tracking ? 9u : 11u) ? 0 : 1;
}

}  // namespace perfdata
