// SPDX-License-Identifier: MIT
// The architecture of a recording that does not name it.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// Architecture is the output of `uname -m` on the recorded machine, as far as it can be determined.
struct Architecture {
    std::string name;     // empty: unknown
    std::string told_by;  // the evidence, in words; empty: the feature ARCH

    // guessed() returns true if the name is known, but not from the feature ARCH.
    bool guessed() const { return !name.empty() && !told_by.empty(); }
};

// elf_architecture(machine, endian) returns the name for an EM_* value of ELF; empty if unknown here.
PERFDATA_EXPORT std::string_view elf_architecture(std::uint32_t machine, std::endian endian);

// path_architecture(path) returns the architecture that the path of a mapped file implies: a dynamic loader's name, or
// Debian's directory for libraries of one architecture. Empty: none.
PERFDATA_EXPORT std::string_view path_architecture(std::string_view path);

// find_architecture(recording, watch) checks the features ARCH and E_MACHINE; then, in one pass over the records, which
// may take long, the tracing hardware and the mapped files. If it was stopped, the result is unknown.
PERFDATA_EXPORT Architecture find_architecture(const Recording& recording, const Watch& watch = {});

}  // namespace perfdata
