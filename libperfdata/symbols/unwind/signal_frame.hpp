// SPDX-License-Identifier: MIT
// Goes from a signal handler to what it interrupted, where no unwind information describes the frame between them.
#pragma once

#include <cstdint>

#include "symbols/unwind/frame_step.hpp"

namespace perfdata {

// SignalFrame is what the kernel pushed before it called the handler. The handler returns to a trampoline, a few
// instructions that make the system call sigreturn:
//
//      higher addresses
//      | interrupted stack |
//      +-------------------+
//      | saved registers   |  struct sigcontext in a ucontext
//      | siginfo           |
//      +-------------------+ <- stack pointer when the handler has returned to the trampoline
enum class SignalFrame : std::uint8_t {
    none,
    with_info,  // rt_sigreturn: struct rt_sigframe
    plain,      // sigreturn, of 32-bit programs and of s390: struct sigframe
};

// SignalPlace is a place in a trampoline.
struct SignalPlace {
    SignalFrame frame = SignalFrame::none;
    std::uint8_t popped = 0;  // bytes that the instructions before it have taken from the stack
};

// Returns the place of code[at] in a trampoline: at one of its instructions, or, if `returns` is false, behind the
// last, where the program is while it makes the system call. A handler returns to the first alone. None if it is other
// code.
SignalPlace signal_trampoline(const UnwindTarget& target, Bytes code, std::size_t at, bool returns);
// Returns the frame of a trampoline in a vdso that is not here. Its functions call nobody, so whoever returns there is
// a handler; none where the architecture's vdso has no trampolines, or several that differ (i386).
SignalFrame vdso_trampoline(const UnwindTarget& target);

// The longest trampoline, in bytes.
inline constexpr std::size_t longest_trampoline = 9;

// Replaces the registers by those that the signal interrupted; pc is no return address. Changes nothing unless it
// returns ok. The layouts are those of arch/*/kernel/signal*.c and uapi/asm/sigcontext.h.
StepOutcome step_from_signal(const UnwindTarget& target, SignalPlace place, const StackMemory& memory,
                             RegisterFile& registers);

}  // namespace perfdata
