// SPDX-License-Identifier: MIT
// Stubs of linkage tables: code that linkers other than GNU ld on x86 write no unwind information for.
#pragma once

#include <cstdint>
#include <optional>

#include "symbols/unwind/unwind_target.hpp"

namespace perfdata {

class ElfFile;

// Returns how many words a stub of a linkage table has pushed at this virtual address, above the return address or with
// that in its register; nothing outside of stubs, and in those of an unknown form.
std::optional<unsigned> pushed_in_plt(const ElfFile& file, const UnwindTarget& target, std::uint64_t vaddr);

// Returns how many words lie above the return address in a stub of an x86 section .plt, whose first stub calls the
// dynamic linker, as GNU ld and lld write it. offset: of the pc in the section. Stubs of .plt.sec and .plt.got push
// nothing.
//
//      first:  push GOT[1]           at 0: one (pushed by the stub that came here); from 6: two
//              jmp *GOT[2]
//      others: jmp *GOT[n]           from 11: one. With indirect branch tracking: endbr64, push at 4, from 9: one
//              push n
//              jmp first
constexpr unsigned words_pushed_in_plt(std::uint64_t offset, bool branch_tracking) {
    const auto in_stub = offset % 16;
    if (offset < 16) return in_stub < 6 ? 1 : 2;
    return in_stub < (branch_tracking ? 9u : 11u) ? 0 : 1;
}

}  // namespace perfdata
