// SPDX-License-Identifier: MIT
// Computes DWARF expressions in call frame information: DWARF 5, sections 2.5 and 6.4.2.
#pragma once

#include <cstdint>
#include <optional>

#include "symbols/unwind/frame_step.hpp"

namespace perfdata {

struct ExpressionInput {
    const UnwindTarget& target;
    const RegisterFile& registers;  // of the frame
    const StackMemory& memory;
    AnyOrder order;          // of the file
    std::uint64_t bias = 0;  // address in the process minus virtual address in the file
    // Of rules of registers: the value on the stack when the expression begins. Nothing for a CFA.
    std::optional<std::uint64_t> cfa{};
};

struct ExpressionValue {
    StepOutcome outcome = StepOutcome::ok;  // ok, or why there is no value
    std::uint64_t value = 0;                // valid if ok
};

// Computes the expression whose block (length, operations) begins at this offset of its section. Operations that need
// debug information (DW_OP_fbreg, DW_OP_call2, ...) do not occur in call frame information: the outcome is damaged.
ExpressionValue compute(Bytes section, std::uint32_t block, const ExpressionInput& input, ExpressionBudget& budget);

}  // namespace perfdata
