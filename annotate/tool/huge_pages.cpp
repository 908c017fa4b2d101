// SPDX-License-Identifier: MIT
// Replaces operator new, so that large tables lie in huge pages:
//
//     heap    | small pages, up to 1 MiB | huge pages, in steps of 64 MiB ...       heap_end()
//     others  | a block of 1 MiB or more, outside the heap: huge pages |
//
// A table of 2 MiB then takes one page fault and not 512, and look-ups in it miss the TLB less often. Reports took 0.8
// of their CPU time on a virtual machine where a page fault takes 12 us, and 3 to 8 % more memory. The C library can do
// the same, if the environment says so when a program starts (GLIBC_TUNABLES=glibc.malloc.hugetlb=1): for a short
// `info` that is 4 ms too much, since its small heap becomes a huge page as well.
//
// Steps are large because the heap ends anywhere in a huge page, and has small pages there: with 8 MiB a report had
// twice as many page faults and took 5 % more time. What is not touched takes no memory.
#include "huge_pages.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>

#include "core/platform_heap.hpp"

namespace perfdata::tool {
namespace {

constexpr std::size_t heap_step = std::size_t{64} << 20, small_heap = std::size_t{1} << 20;
constexpr std::size_t least_noted = std::size_t{4} << 10, least_apart = std::size_t{1} << 20;

// `asked_until`: up to where huge pages were asked for in the heap; the heap's begin before that. 0: do not ask.
// Threads that see an old value ask twice, which does no harm.
std::atomic<std::uintptr_t> heap_begin = 0, asked_until = 0;

std::uintptr_t round_up(std::uintptr_t address) {
    return (address + platform::huge_page - 1) / platform::huge_page * platform::huge_page;
}

void ask(std::uintptr_t begin, std::uintptr_t end) {
    if (begin < end && !platform::ask_huge_pages(begin, end)) asked_until = 0;
}

void note_block(std::uintptr_t block, std::size_t size) {
    const auto asked = asked_until.load(std::memory_order_relaxed);
    if (asked == 0) return;
    const auto begin = heap_begin.load(std::memory_order_relaxed), end = platform::heap_end();
    if (block < begin || block >= end) {  // of another thread's heap, or mapped for itself
        if (size >= least_apart) ask(block / platform::huge_page * platform::huge_page, round_up(block + size));
        return;
    }
    if (end == asked || block + size - begin < small_heap) return;
    asked_until.store(end, std::memory_order_relaxed);  // also if the heap has shrunk
    const auto from = asked == begin ? round_up(block) : asked / platform::huge_page * platform::huge_page;
    ask(from, end);
}

}  // namespace

void use_huge_pages() noexcept {
    // With a limit, a step that is larger than what is left would be refused, and the block with it.
    platform::take_heap_in_steps(platform::is_space_limited() ? 0 : heap_step);
    // Only the first heap has huge pages. Two CPUs share it: reports took 0.83 of their wall time on two threads.
    platform::share_heaps(std::max(1U, std::thread::hardware_concurrency() / 2));
    heap_begin = asked_until = platform::heap_end();
}

}  // namespace perfdata::tool

// The memory is malloc()'s, so that operator delete is as it was.
void* operator new(std::size_t size) {
    for (;;) {
        if (auto* const block = std::malloc(size == 0 ? 1 : size)) {
            using perfdata::tool::least_noted;
            if (size >= least_noted) perfdata::tool::note_block(reinterpret_cast<std::uintptr_t>(block), size);
            return block;
        }
        const auto handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
}
