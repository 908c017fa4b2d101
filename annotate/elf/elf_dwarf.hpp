// SPDX-License-Identifier: MIT
// Debug information for code written as an ELF file.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/elf/elf_writer.hpp"

namespace perfdata {

// ElfDwarf is the contents of the sections of these names; empty if no function has lines.
struct ElfDwarf {
    std::string info, abbrev, str, line, ranges;
};

// make_dwarf(code, functions): `functions` are those of the code, by address.
ElfDwarf make_dwarf(const ElfCode& code, const std::vector<const ElfFunction*>& functions);

}  // namespace perfdata
