// SPDX-License-Identifier: MIT
// ELF constants that several files need, from the System V ABI. The numbers of machines are in core/arch.hpp.
#pragma once

#include <cstdint>

#include "perfdata/core/arch.hpp"

namespace perfdata {

inline constexpr std::uint32_t no_bits = 8;  // section type SHT_NOBITS: no bytes in the file
inline constexpr std::uint32_t rela_section = 4,
                               rel_section = 9;          // SHT_RELA, SHT_REL: relocations with and without addends
inline constexpr std::uint64_t compressed_flag = 0x800;  // section flag SHF_COMPRESSED

}  // namespace perfdata
