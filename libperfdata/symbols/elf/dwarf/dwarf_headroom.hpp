// SPDX-License-Identifier: MIT
// Memory that libdw takes without looking whether it got it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace perfdata {

// Throws std::bad_alloc unless there is memory for what libdw takes next: `more` bytes, and a reserve for units, other
// threads and the allocator itself. libdw has tables of abbreviations and of signatures (elfutils, lib/
// dynamicsizehash.c and dynamicsizehash_concurrent.c) that it writes through null, or ends the process by an
// assertion, where calloc() fails. Its other allocations call the handler of dwarf_throws().
inline void dwarf_headroom(std::uint64_t more = 0) {
    constexpr std::uint64_t reserve = std::uint64_t{1} << 19;
    if (more > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
    // The compiler must not leave out the allocation: nothing but the attempt is wanted.
    static_cast<void>(std::unique_ptr<std::byte, void (*)(void*)>(
        static_cast<std::byte*>(::operator new(static_cast<std::size_t>(more + reserve))),
        [](void* block) { ::operator delete(block); }));
}

}  // namespace perfdata
