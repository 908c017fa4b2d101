// SPDX-License-Identifier: MIT
// Goes from a frame to its caller's by a row of unwind information.
#pragma once

#include <cstdint>
#include <string_view>

#include "symbols/unwind/register_file.hpp"
#include "symbols/unwind/stack_memory.hpp"
#include "symbols/unwind/unwind_row.hpp"

namespace perfdata {

enum class StepOutcome : std::uint8_t {
    ok,                // the registers are the caller's now
    refused,           // the file says that the function cannot be unwound (UnwindRow::refused)
    outermost,         // there is no caller: the return address is undefined, or 0
    stack_too_short,   // what is needed lies on the stack beyond the copied bytes: a larger copy would have it
    out_of_reach,      // what is needed lies on another stack, or so far above that no copy has it
    register_missing,  // what is needed depends on a register that was not recorded, or is lost
    damaged,           // the CFA is no address or misaligned, an expression fails, or memory is unknown
    no_change,         // the caller would be the same frame again
};

// Returns what it means that memory cannot be read.
inline StepOutcome why_unread(StackMemory::Answer answer) {
    switch (answer) {
        case StackMemory::Answer::value: return StepOutcome::ok;
        case StackMemory::Answer::beyond: return StepOutcome::stack_too_short;
        case StackMemory::Answer::far: return StepOutcome::out_of_reach;
        case StackMemory::Answer::unknown: break;
    }
    return StepOutcome::damaged;
}

// Returns why an unknown register has no value.
inline StepOutcome why_unknown(const RegisterFile& registers, Slot slot) {
    return registers.uncopied(slot) ? StepOutcome::stack_too_short : StepOutcome::register_missing;
}

constexpr std::string_view to_string(StepOutcome outcome) {
    switch (outcome) {
        case StepOutcome::ok: return "ok";
        case StepOutcome::refused: return "refused";
        case StepOutcome::outermost: return "outermost";
        case StepOutcome::stack_too_short: return "stack_too_short";
        case StepOutcome::out_of_reach: return "out_of_reach";
        case StepOutcome::register_missing: return "register_missing";
        case StepOutcome::damaged: return "damaged";
        case StepOutcome::no_change: return "no_change";
    }
    return "unknown";
}

// ExpressionBudget bounds the operations of expressions, which may loop: those of one step, or of all steps of a stack.
struct ExpressionBudget {
    unsigned operations = 4096;
};

// RowSource is what rows refer to: the rules that did not fit, and the sections that hold their expressions.
struct RowSource {
    const RuleSpill* spill = nullptr;
    Bytes eh_frame, debug_frame;
    std::uint64_t bias = 0;  // address in the process minus virtual address in the file; DW_OP_addr needs it
    AnyOrder order;          // of the file
};

// Replaces the registers by those of the caller. Changes nothing unless it returns ok. Does not allocate; takes time in
// proportion to the row's rules, and to the operations of expressions, which it takes from the budget.
//
// After ok, registers.pc is a return address, unless row.has(UnwindRow::signal_frame): then it is where the caller was
// interrupted. It is up to the caller to bound the number of steps.
StepOutcome step(const UnwindTarget& target, const UnwindRow& row, const RowSource& source, const StackMemory& memory,
                 RegisterFile& registers, ExpressionBudget& budget);

// Returns the address without the bits of arm64's pointer authentication, which replaces the bits above those that the
// kernel uses for addresses (39, 42, 47, 48 or 52 of them, by its configuration: arch/arm64/include/asm/pgtable-hwdef.h
// and pointer_auth.h, ptrauth_user_pac_mask). The recording does not say how many these are. We keep as many as two
// addresses of the process need, its pc and its stack pointer: the kernel lays out stacks and libraries from the top of
// the address space. Keeping a fixed 48 would leave bits of the signature in addresses of kernels with 39.
std::uint64_t without_signature(std::uint64_t address, std::uint64_t pc, std::uint64_t stack_pointer);

}  // namespace perfdata
