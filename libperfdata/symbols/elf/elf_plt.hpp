// SPDX-License-Identifier: MIT
// The stubs of a procedure linkage table (PLT), and the words of memory that they jump through.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

struct PltStub {
    std::uint64_t address = 0, size = 0;
    std::uint64_t slot = 0;  // address of the word that holds where the function is
};

// PltSection is one of .plt, .plt.sec, .plt.got.
struct PltSection {
    std::uint16_t machine = 0;
    bool wide = true;
    AnyOrder order;
    std::uint64_t address = 0;
    std::uint64_t got = 0;      // of i386: where %ebx points to
    std::uint64_t stride = 16;  // of x86: bytes from one stub to the next
};

// plt_stubs(section, code) is the stubs that were understood, by address. Time is in proportion to the code.
std::vector<PltStub> plt_stubs(const PltSection& section, Bytes code);

}  // namespace perfdata
