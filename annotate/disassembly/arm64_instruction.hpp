// SPDX-License-Identifier: MIT
// arm64 instructions that Capstone 4 cannot name: hints, atomics (FEAT_LSE), pointer authentication (FEAT_PAuth).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace perfdata {

struct Arm64Instruction {
    std::string mnemonic, operands;
};

// arm64_instruction(word) returns it as binutils prints it; empty for other instructions. Encodings: Arm Architecture
// Reference Manual for A-profile, C4.1 (by group) and C6.2 (each instruction).
std::optional<Arm64Instruction> arm64_instruction(std::uint32_t word);

// is_arm64_atomic(word) returns true for atomics of FEAT_LSE, which write another register than their first one.
bool is_arm64_atomic(std::uint32_t word);

}  // namespace perfdata
