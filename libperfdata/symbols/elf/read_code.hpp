// SPDX-License-Identifier: MIT
// Reads the bytes of a function from an ELF file.
#pragma once

#include <cstdint>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "symbols/patched_code.hpp"

namespace perfdata {

// Reads the bytes of the function at a virtual address into `code`. Segments of a core file may share bytes: no
// function gets more than the whole file has. Returns false if that left some out. Errors: io.
Result<bool> read_code(const ElfFile& file, std::uint64_t vaddr, PatchedCode& code);

}  // namespace perfdata
