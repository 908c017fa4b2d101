// SPDX-License-Identifier: MIT
// Finds the stubs of a procedure linkage table (PLT) and the words of memory that they jump through.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// PltStub is a piece of code that jumps to the function that a word of memory points to.
struct PltStub {
    std::uint64_t address = 0, size = 0;
    std::uint64_t slot = 0;  // address of the word that holds the function's address
};

// PltSection is a section .plt, .plt.sec or .plt.got.
struct PltSection {
    std::uint16_t machine = 0;
    bool wide = true;
    AnyOrder order;
    std::uint64_t address = 0;
    std::uint64_t got = 0;      // i386 only: where %ebx points to
    std::uint64_t stride = 16;  // x86 only: bytes from one stub to the next
};

// Returns the stubs that are understood, by address. Takes time in proportion to the code.
std::vector<PltStub> plt_stubs(const PltSection& section, Bytes code);

}  // namespace perfdata
