// SPDX-License-Identifier: MIT
// The length of x86 instructions with a VEX or EVEX prefix that the disassembler cannot name.
#pragma once

#include <cstddef>
#include <string_view>

#include "perfdata/core/types.hpp"

namespace perfdata {

struct VectorInstruction {
    std::string_view prefix;  // "vex" or "evex"
    std::size_t size = 0;     // bytes; 0: the code does not begin with such an instruction, or truncates it
};

// vector_instruction(code) is for 64-bit code. Intel's manual, volume 2, 2.3 (VEX) and 2.7 (EVEX).
VectorInstruction vector_instruction(Bytes code);

}  // namespace perfdata
