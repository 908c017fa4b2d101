// SPDX-License-Identifier: MIT
// Mini debug information: an ELF file in the section .gnu_debugdata of another one, packed by xz. Distributions keep
// symbols of stripped programs there, and some unwind information.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "recording/look_out.hpp"

namespace perfdata {

inline constexpr std::string_view mini_debug_section = ".gnu_debugdata";

// MiniDebugInfo is what could be unpacked, and why that is not all. The file's bytes live as long as it.
struct MiniDebugInfo {
    std::unique_ptr<const std::string> bytes;
    std::optional<ElfFile> file;  // nothing: it is none
    std::optional<Error> damage;

    // Unpacks the content of the section: at most 1 MiB and 32 times its size, and Limits::section_bytes. May throw
    // Stopped.
    static MiniDebugInfo unpack(std::string_view packed, const Limits& limits, LookOut& look);
};

}  // namespace perfdata
