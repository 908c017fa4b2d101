// SPDX-License-Identifier: MIT
// Debug information for code that is written as an ELF file.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/elf/elf_writer.hpp"

namespace perfdata {

// ElfDwarf is the sections of that name; empty if no function has lines.
struct ElfDwarf {
    std::string info, abbrev, str, line, ranges;
};

// make_dwarf(code, functions): `functions` are those of the code, by address.
ElfDwarf make_dwarf(const ElfCode& code, const std::vector<const ElfFunction*>& functions);

}  // namespace perfdata
