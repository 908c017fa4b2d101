// SPDX-License-Identifier: MIT
// What a loader fills into code of a relocatable file: the calls of a kernel module, above all.
#pragma once

#include <cstdint>
#include <vector>

#include "perfdata/symbols/code_images.hpp"
#include "perfdata/symbols/elf_file.hpp"

namespace perfdata {

// code_relocations(file, vaddr, size) is what is filled into the code there, ascending. Of a file that is not
// relocatable, or whose tables are damaged, nothing.
std::vector<CodeRelocation> code_relocations(const ElfFile& file, std::uint64_t vaddr, std::uint64_t size);

}  // namespace perfdata
