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

// Steps out of code that has no frame, but has pushed so many words: the return address is in its register, or on the
// stack above these words. Other registers keep their values.
StepOutcome step_from_leaf(const UnwindTarget& target, const StackMemory& memory, RegisterFile& registers,
                           unsigned pushed = 0);

}  // namespace perfdata
