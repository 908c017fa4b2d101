// SPDX-License-Identifier: MIT
// Numbers of ELF that several files need: System V ABI, and its supplements for the machines.
#pragma once

#include <cstdint>

namespace perfdata {

enum ElfMachineNumber : std::uint16_t {
    em_386 = 3,
    em_ppc64 = 21,
    em_s390 = 22,
    em_arm = 40,
    em_x86_64 = 62,
    em_aarch64 = 183,
    em_riscv = 243
};

inline constexpr std::uint32_t no_bits = 8;                        // a section's type: it has no bytes in the file
inline constexpr std::uint32_t rela_section = 4, rel_section = 9;  // relocations, with addends of their own or not
inline constexpr std::uint64_t compressed_flag = 0x800;            // a section's

}  // namespace perfdata
