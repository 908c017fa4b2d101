// SPDX-License-Identifier: MIT
#include "damage/allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

// Constant-initialised, because operator new is called before main().
struct Counters {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::int64_t> held{0}, base{0}, peak{0};
    std::atomic<std::size_t> largest{0};
    std::atomic<std::uint64_t> fail_from{0}, fail_until{0}, failed{0};  // allocation numbers from 1; 0: none
};
constinit Counters counters;

template <class T>
void raise_to(std::atomic<T>& most, T value) {
    auto before = most.load(std::memory_order_relaxed);
    while (before < value && !most.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    const auto number = counters.count.fetch_add(1, std::memory_order_relaxed) + 1;
    raise_to(counters.largest, size);
    if (const auto from = counters.fail_from.load(std::memory_order_relaxed);
        from != 0 && number >= from && number < counters.fail_until.load(std::memory_order_relaxed)) {
        counters.failed.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    void* memory = nullptr;
    if (alignment <= alignof(std::max_align_t)) {
        memory = std::malloc(std::max<std::size_t>(size, 1));
    } else if (::posix_memalign(&memory, alignment, size) != 0) {
        memory = nullptr;
    }
    if (memory != nullptr) {
        const auto got = static_cast<std::int64_t>(::malloc_usable_size(memory));
        raise_to(counters.peak, counters.held.fetch_add(got, std::memory_order_relaxed) + got);
    }
    return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
    if (void* memory = allocate(size, alignment)) return memory;
    throw std::bad_alloc();
}

void release(void* memory) noexcept {
    if (memory == nullptr) return;
    counters.held.fetch_sub(static_cast<std::int64_t>(::malloc_usable_size(memory)), std::memory_order_relaxed);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    return allocate_or_throw(size);
}
void* operator new[](std::size_t size) {
    return allocate_or_throw(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, 0);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, 0);
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}

namespace perfdata::test {

AllocationCounts::AllocationCounts() {
    counters.count = 0;
    counters.largest = 0;
    counters.base = counters.held.load();
    counters.peak = counters.held.load();
}
std::uint64_t AllocationCounts::count() const {
    return counters.count;
}
std::size_t AllocationCounts::peak() const {
    return static_cast<std::size_t>(counters.peak - counters.base);
}
std::size_t AllocationCounts::largest() const {
    return counters.largest;
}
std::int64_t AllocationCounts::held() const {
    return counters.held - counters.base;
}

FailingAllocation::FailingAllocation(std::uint64_t number, bool for_good) {
    counters.count = 0;
    counters.failed = 0;
    counters.fail_until = for_good ? ~std::uint64_t{0} : number + 1;
    counters.fail_from = number;
}
FailingAllocation::~FailingAllocation() {
    counters.fail_from = 0;
}
bool FailingAllocation::failed() const {
    return counters.failed != 0;
}

}  // namespace perfdata::test
