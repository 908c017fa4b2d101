// SPDX-License-Identifier: MIT
// How malloc() takes memory from the system: for programs that own their process. platform.cpp has the functions; where
// the system or its allocator has nothing of the kind they do nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perfdata::platform {

// Huge pages as x86-64 and arm64 have them with pages of 4 KiB.
constexpr std::size_t huge_page = std::size_t{2} << 20;

// take_heap_in_steps(bytes) makes the heap grow by that many bytes at a time. Blocks below 32 MiB then come from the
// heap, and it shrinks by 128 MiB at least. 0: in small steps, for processes with little memory.
void take_heap_in_steps(std::size_t bytes) noexcept;
// share_heaps(number) makes threads share that many heaps: else most have one of their own, which grows page by page.
void share_heaps(unsigned number) noexcept;
// heap_end() returns the address behind the heap of the first thread, which ends there and grows; 0 if there is none.
std::uintptr_t heap_end() noexcept;
// is_space_limited() returns true if the process may have no more than some memory or address space (ulimit -d, -v).
bool is_space_limited() noexcept;
// ask_huge_pages(begin, end) asks the system to use huge pages in what is mapped from `begin` to `end`. Returns false
// if it has none for those who ask.
bool ask_huge_pages(std::uintptr_t begin, std::uintptr_t end) noexcept;

}  // namespace perfdata::platform
