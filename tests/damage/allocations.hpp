// SPDX-License-Identifier: MIT
// The global operator new of these executables counts allocations, and fails on request.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perfdata::test {

// AllocationCounts covers all threads since its construction. Only one may exist at a time.
class AllocationCounts {
  public:
    AllocationCounts();

    std::uint64_t count() const;  // number of allocations
    std::size_t peak() const;     // most bytes held at once, beyond those held at construction
    std::size_t largest() const;  // bytes of the largest allocation
    std::int64_t held() const;    // bytes held now, beyond those held at construction
};

// FailingAllocation makes allocation `number`, counted from 1, fail with bad_alloc; with `for_good` also all later
// ones. Freeing still works.
class FailingAllocation {
  public:
    explicit FailingAllocation(std::uint64_t number, bool for_good = false);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;

    // failed() returns true if that allocation was reached.
    bool failed() const;
};

}  // namespace perfdata::test
