// SPDX-License-Identifier: MIT
// Of which architecture a recording is, where it does not say so itself.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/recording/recording.hpp"

namespace perfdata {

// Architecture is what `uname -m` said on the recorded machine, as far as can be known.
struct Architecture {
    std::string name;     // empty: not known
    std::string told_by;  // what tells it, in words; empty: the feature ARCH

    bool guessed() const { return !name.empty() && !told_by.empty(); }
};

// elf_architecture(machine, endian) is the name for EM_* of ELF; empty if not known here.
std::string_view elf_architecture(std::uint32_t machine, std::endian endian);

// path_architecture(path) is what the path of a mapped file tells: a dynamic loader's name, or Debian's folder for
// libraries of one architecture. Empty: nothing.
std::string_view path_architecture(std::string_view path);

// find_architecture(recording) asks the features ARCH, E_MACHINE and CPUID; then, in one pass over the records up to
// the first that tells, which hardware traced and which files were mapped.
Architecture find_architecture(const Recording& recording);

}  // namespace perfdata
