// SPDX-License-Identifier: MIT
// Finds and reads call frame information (CFI): sections .eh_frame and .debug_frame.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"

#include "symbols/unwind/cfi_entry.hpp"
#include "symbols/unwind/unwind_row.hpp"

namespace perfdata {

// CfiSection is one section of an ELF file. Opening it costs a look at the table of .eh_frame_hdr, if there is one;
// entries are read when they are asked for. The bytes must outlive it. Const use from many threads is safe.
//
//   .eh_frame_hdr                      .eh_frame (or .debug_frame, which has no table)
//   +------------------------+         +--------------------------------------------------+
//   | sorted: begin -> entry | ------> | CIE: alignment, encodings, first instructions    | <-+
//   +------------------------+         | FDE: range of code, its instructions             | --+
//                                      | ...                                              |
//                                      +--------------------------------------------------+
//
// The table is not believed: it is used if it is sorted, and what it finds must begin where it says. Where it does not,
// all entries are read once and sorted, as they are where there is no table, and the answer is that of the sorted ones.
// So answers depend on nothing but the address: not on what was asked before, nor by which thread. Where functions
// overlap, the one that begins last counts.
class CfiSection {
  public:
    // Errors: limit (the section is larger than 2 GiB).
    static Result<CfiSection> open(const CfiInput& input, const UnwindTarget& target, const Limits& limits = {});

    CfiSection(CfiSection&&) noexcept;
    CfiSection& operator=(CfiSection&&) noexcept;
    ~CfiSection();

    // Returns the entry of the function that contains a virtual address; nothing if there is none. Errors: the entry
    // is damaged, or of an unknown form.
    Result<std::optional<CfiFunction>> find(std::uint64_t vaddr) const;
    // Returns the range around a virtual address for which find() has the same answer.
    std::pair<std::uint64_t, std::uint64_t> extent(std::uint64_t vaddr) const;
    // Returns the row for a virtual address; nothing if no function contains it. Rules that do not fit go to the spill.
    // Where functions overlap, the row ends where another one counts: it does not depend on what was asked before.
    // Takes time in proportion to the instructions before it in its function, which Limits bounds. Errors: as find(),
    // or the instructions are damaged before the address is reached.
    Result<std::optional<UnwindRow>> row_at(std::uint64_t vaddr, RuleSpill& spill) const;
    // Calls visit(row) for each row of a function, by address, until it returns false. A row that does not differ from
    // the one before it is not joined with it; of a row of 4 GiB or more only the begin is visited. Errors: as
    // row_at(); the rows before the damage have been visited.
    Result<void> rows(const CfiFunction& function, RuleSpill& spill,
                      const std::function<bool(const UnwindRow&)>& visit) const;
    // Calls visit(function) for each entry that can be read, in the order of the section, until it returns false.
    // Errors: the first damage, after all that is intact has been visited.
    Result<void> functions(const std::function<bool(const CfiFunction&)>& visit) const;

    const CfiInput& input() const;
    // Returns true if there is a table of .eh_frame_hdr that can be used.
    bool has_table() const;
    // Returns what is wrong with the table or with the section's structure, as far as it has been read: entries behind
    // it cannot be found. Nothing if all is well so far.
    std::optional<Error> damage() const;
    // Returns why a function may be missing from the answer that find() has given for an address; nothing if the table
    // gave it, or if all entries were read.
    std::optional<Error> loss(std::uint64_t vaddr) const;

  private:
    class Index;
    explicit CfiSection(std::unique_ptr<Index> index);

    std::unique_ptr<Index> index_;
};

}  // namespace perfdata
