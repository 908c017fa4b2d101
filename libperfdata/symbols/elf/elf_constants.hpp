// SPDX-License-Identifier: MIT
// Numbers of ELF that several files need: System V ABI. Those of machines are in core/arch.hpp.
#pragma once

#include <cstdint>

#include "perfdata/core/arch.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_bits = 8;                        // a section's type: it has no bytes in the file
inline constexpr std::uint32_t rela_section = 4, rel_section = 9;  // relocations, with addends of their own or not
inline constexpr std::uint64_t compressed_flag = 0x800;            // a section's

}  // namespace perfdata
