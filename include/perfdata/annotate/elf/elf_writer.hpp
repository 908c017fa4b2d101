// SPDX-License-Identifier: MIT
// Writes code as an ELF file for other tools: objdump -dS, gdb, llvm-mca.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

namespace perfdata {

// ElfTarget is the machine that code is for.
struct PERFDATA_EXPORT ElfTarget {
    std::uint16_t machine = 0;                // EM_*
    bool wide = true;                         // 64 bit
    std::endian order = std::endian::little;  // of the file and of its data

    // of(arch) takes names as printed by `uname -m`. Errors: unsupported.
    static Result<ElfTarget> of(std::string_view arch);
};

// ElfFunction is one function: its lines are by offset, from its start.
struct ElfFunction {
    std::string_view name;         // views: must outlive the writing
    Address address;               // where it ran; relative jumps fit this address
    Bytes code;                    // must not be empty
    std::vector<LineStart> lines;  // by offset; may be empty
};

// ElfCode is what a file is made of.
struct ElfCode {
    ElfTarget target;                    // for all functions
    std::vector<ElfFunction> functions;  // in any order, without overlaps
    std::string name;                    // of the whole file, for DW_AT_name
    std::string producer;                // for DW_AT_producer: the program that wrote the file
    std::string directory;               // base of relative source file names; empty: "."
};

// write_elf(code) returns a file of type ET_EXEC: each function is a section and a segment at its address in memory. It
// has symbols, a build id computed from the content, and DWARF 4: one unit, its functions and their lines; inlined code
// has its innermost line. The same input gives the same bytes. Errors: malformed (functions overlap, are empty, or
// there are none), limit (an address does not fit into the class, or there are more than 60000 functions).
PERFDATA_EXPORT Result<std::string> write_elf(const ElfCode& code);

}  // namespace perfdata
