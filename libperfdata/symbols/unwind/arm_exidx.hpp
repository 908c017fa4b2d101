// SPDX-License-Identifier: MIT
// Reads the unwind tables of 32-bit Arm: sections .ARM.exidx and .ARM.extab. "Exception Handling ABI for the Arm
// Architecture" (ihi0038), sections 6, 7 and 10.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"

#include "symbols/unwind/unwind_row.hpp"

namespace perfdata {

// ArmTables is the bytes of the sections and where they are. They must outlive those who are given it.
struct ArmTables {
    AnyOrder order;
    Bytes index;                          // .ARM.exidx
    std::uint64_t index_address = 0;      // virtual address
    std::uint64_t index_file_offset = 0;  // for errors
    Bytes table{};                        // .ARM.extab; empty if there is none
    std::uint64_t table_address = 0;
    std::uint64_t table_file_offset = 0;
    std::uint64_t code_end = UINT32_MAX;  // where the last function ends: the end of .text
};

// ArmExidx finds the function of an address and turns its operations into a row. The operations undo the function's
// prologue step by step; a virtual stack pointer (vsp) goes up to the caller's:
//
//      push {r4, r11, lr}; sub sp, #8     row: CFA = sp + 20
//                                              r4 at CFA - 12, r11 at CFA - 8, lr at CFA - 4
//      vsp = vsp + 8; pop {r4, r11, r14}
//
// One function has one row, which is right at its calls, but not in its prologue and its epilogue
// (UnwindRow::calls_only). Functions that were built without tables are often said not to be unwindable
// (UnwindRow::refused), as are those that nobody calls.
class ArmExidx {
  public:
    // Errors: malformed (an entry is no address).
    static Result<ArmExidx> open(const ArmTables& tables);

    // Returns the number of entries.
    std::size_t size() const { return order_.empty() ? functions_.size() : order_.size(); }
    // Returns the row for a virtual address; nothing if it lies before the first function or behind the last. Takes
    // time in proportion to the function's operations, at most 1,022. Errors: truncated, malformed, unsupported (an
    // operation that is unknown, or that a row cannot express).
    Result<std::optional<UnwindRow>> row_at(std::uint64_t vaddr, RuleSpill& spill) const;

  private:
    ArmExidx() = default;

    std::uint32_t begin(std::size_t index) const;
    // Returns the operations of a function.
    Result<std::vector<std::uint8_t>> operations(std::size_t entry) const;
    Result<std::vector<std::uint8_t>> operations_in_table(std::uint64_t vaddr) const;

    ArmTables tables_;
    ArrayView<std::uint32_t> functions_, contents_;  // the two words of an entry
    std::vector<std::uint32_t> order_;               // of entries by address; empty if they are sorted
};

}  // namespace perfdata
