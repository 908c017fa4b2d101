// SPDX-License-Identifier: MIT
// A part of a copy of the kernel's memory, as an ELF core file of its own.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// Copies ranges [begin, end) of the file, ascending, as far as segments have them. Every byte keeps its address, so
// that the result answers for these as the whole file does. The bytes are copied now: the kernel may change its code
// later. Errors: io, limit (more than 256 MiB, or than 60,000 pieces: segments may share bytes), cancelled.
Result<std::string> core_pieces(const ElfFile& core, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges,
                                const Watch& watch);

}  // namespace perfdata
