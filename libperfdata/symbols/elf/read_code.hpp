// SPDX-License-Identifier: MIT
// The bytes of a function in an ELF file.
#pragma once

#include <cstdint>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "symbols/patched_code.hpp"

namespace perfdata {

// read_code(file, vaddr, code) puts what the file has for the function at that address into `code`. Errors: io.
Result<void> read_code(const ElfFile& file, std::uint64_t vaddr, PatchedCode& code);

}  // namespace perfdata
