// SPDX-License-Identifier: MIT
// E_MACHINE (33): the architecture as an ELF machine number. write_e_machine in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

//     0 u32 machine . 4 u32 flags
struct ElfMachine {
    std::uint32_t machine = 0;  // EM_* of ELF: 62 is x86-64, 183 is arm64
    std::uint32_t flags = 0;    // e_flags of ELF

    // decode(in) fails (truncated) if the section is too short.
    static Result<ElfMachine> decode(Cursor in) {
        ElfMachine elf;
        elf.machine = in.u32();
        elf.flags = in.u32();
        if (!in.ok()) return in.failure("machine and flags");
        return elf;
    }
};

}  // namespace perfdata
