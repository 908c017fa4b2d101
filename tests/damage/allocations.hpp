// SPDX-License-Identifier: MIT
// The global operator new of these executables counts what it hands out, and fails when it is told to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perfdata::test {

// AllocationCounts is of all threads, since the object was made. One at a time.
class AllocationCounts {
  public:
    AllocationCounts();

    std::uint64_t count() const;  // how often memory was asked for
    std::size_t peak() const;     // most bytes held at once, beyond what was held when counting began
    std::size_t largest() const;  // bytes of the largest piece that was asked for
    std::int64_t held() const;    // bytes held now, beyond what was held when counting began
};

// FailingAllocation makes the allocation of this number, counted from 1, fail with bad_alloc, and with `for_good` all
// behind it: what stays out of memory. What is freed can still be freed.
class FailingAllocation {
  public:
    explicit FailingAllocation(std::uint64_t number, bool for_good = false);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;

    // failed() is whether it came to that.
    bool failed() const;
};

}  // namespace perfdata::test
