// SPDX-License-Identifier: MIT
// The one table of architectures: their names and the properties that follow from them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace perfdata {

// Architectures of one family share registers and instructions.
enum class ArchFamily : std::uint8_t { x86, arm64, arm, s390, powerpc, riscv, mips, loongarch };

// e_machine of ELF files (System V ABI, chapter 4, and its supplements).
enum ElfMachineNumber : std::uint16_t {
    em_386 = 3,
    em_mips = 8,
    em_ppc = 20,
    em_ppc64 = 21,
    em_s390 = 22,
    em_arm = 40,
    em_x86_64 = 62,
    em_aarch64 = 183,
    em_riscv = 243,
    em_loongarch = 258
};

// Arch is one row of `architectures`. All of it follows from the name; the objects are static.
struct Arch {
    std::string_view name;           // as `uname -m` prints it; the one we show if there are several
    std::string_view other;          // an alternative name; empty: none
    ArchFamily family;               // which registers and instructions it has
    ElfMachineNumber machine;        // e_machine of its ELF files; several rows share one
    std::uint8_t address_bytes;      // bytes of an address: 4 or 8
    std::endian order;               // byte order of its data, and so of recordings made on it
    std::uint8_t least_instruction;  // bytes; every instruction length is a multiple of it
};

// The widest of several with one ELF machine comes first.
inline constexpr std::array architectures = {
    Arch{"x86_64", "amd64", ArchFamily::x86, em_x86_64, 8, std::endian::little, 1},
    Arch{"i686", "i386", ArchFamily::x86, em_386, 4, std::endian::little, 1},
    Arch{"i586", "i486", ArchFamily::x86, em_386, 4, std::endian::little, 1},
    Arch{"aarch64", "arm64", ArchFamily::arm64, em_aarch64, 8, std::endian::little, 4},
    Arch{"aarch64_be", "", ArchFamily::arm64, em_aarch64, 8, std::endian::big, 4},
    Arch{"armv7l", "arm", ArchFamily::arm, em_arm, 4, std::endian::little, 2},
    Arch{"s390x", "", ArchFamily::s390, em_s390, 8, std::endian::big, 2},
    Arch{"s390", "", ArchFamily::s390, em_s390, 4, std::endian::big, 2},
    Arch{"ppc64", "powerpc64", ArchFamily::powerpc, em_ppc64, 8, std::endian::big, 4},
    Arch{"ppc64le", "powerpc64le", ArchFamily::powerpc, em_ppc64, 8, std::endian::little, 4},
    Arch{"ppc", "powerpc", ArchFamily::powerpc, em_ppc, 4, std::endian::big, 4},
    Arch{"riscv64", "", ArchFamily::riscv, em_riscv, 8, std::endian::little, 2},
    Arch{"riscv32", "", ArchFamily::riscv, em_riscv, 4, std::endian::little, 2},
    Arch{"mips64", "", ArchFamily::mips, em_mips, 8, std::endian::big, 4},
    Arch{"mips64el", "", ArchFamily::mips, em_mips, 8, std::endian::little, 4},
    Arch{"mips", "", ArchFamily::mips, em_mips, 4, std::endian::big, 4},
    Arch{"mipsel", "", ArchFamily::mips, em_mips, 4, std::endian::little, 4},
    Arch{"loongarch64", "", ArchFamily::loongarch, em_loongarch, 8, std::endian::little, 4},
};

// find_arch(name) looks up a name as `uname -m` prints it; null if unknown. All Arm names (armv6l, armv7l, armv8l,
// ...: one for each version and set of extensions) find the same entry.
constexpr const Arch* find_arch(std::string_view name) {
    if (name.empty()) return nullptr;
    for (const auto& arch : architectures) {
        if (arch.name == name || arch.other == name) return &arch;
    }
    if (name.starts_with("armv")) return find_arch("armv7l");
    return nullptr;
}

// find_arch(machine, order) returns the architecture of an ELF file, the widest if there are several; null if unknown.
constexpr const Arch* find_arch(std::uint32_t machine, std::endian order) {
    for (const auto& arch : architectures) {
        if (arch.machine == machine && arch.order == order) return &arch;
    }
    return nullptr;
}

// runs_on(machine, code): 64-bit kernels also run 32-bit programs.
constexpr bool runs_on(const Arch& machine, const Arch& code) {
    const bool older = machine.family == ArchFamily::arm64 && code.family == ArchFamily::arm;
    return machine.order == code.order && (machine.family == code.family || older);
}

}  // namespace perfdata
