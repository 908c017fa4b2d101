// SPDX-License-Identifier: MIT
// Runs the instructions of call frame information (DW_CFA_*), which make the rows of a function: DWARF 5,
// section 6.4.2.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "symbols/unwind/cfi_entry.hpp"
#include "symbols/unwind/unwind_row.hpp"

namespace perfdata {

// CfiState is all rules at one place of a function.
struct CfiState {
    enum class Cfa : std::uint8_t { none, register_offset, expression };

    Cfa cfa = Cfa::none;
    bool return_signed = false;
    std::uint64_t cfa_register = 0;  // DWARF register number
    std::int64_t cfa_offset = 0;
    std::int64_t cfa_block = 0;                  // offset of the expression's block in the section
    std::uint64_t mentioned = 0;                 // a bit for each slot that has a rule
    std::array<UnwindRule, slot_count> rules{};  // valid where mentioned
};

// CfiProgram runs the instructions of one function, one row at a time:
//
//     CfiProgram program(entries, function, limit);
//     for (auto more = program.next(); more && *more; more = program.next()) use(program.row(spill));
//
// It costs a unit for each instruction, and stops with an error at the limit.
class CfiProgram {
  public:
    // Both must outlive this.
    CfiProgram(const CfiEntries& entries, const CfiFunction& function, std::size_t most_instructions);

    // Goes on to the next row. Returns false behind the last. Errors: truncated, malformed, unsupported (an unknown
    // instruction), limit.
    Result<bool> next();

    // Virtual addresses of the row; valid after next() returned true.
    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    // Returns the row; of rows of 4 GiB and more the part that contains `vaddr`. Errors: malformed (there is no rule
    // for the CFA), unsupported (the CFA or the return address depends on a register without slot).
    Result<UnwindRow> row(std::uint64_t vaddr, RuleSpill& spill) const;

  private:
    enum class Part : std::uint8_t { common, function };

    Cursor cursor(Bytes instructions, std::uint32_t at) const;
    Result<void> run_common();
    // Runs one instruction. Returns true if it moved to another place.
    Result<bool> run(Cursor& in, std::uint32_t at, Part part);
    Result<bool> run_extended(Cursor& in, std::uint32_t at, Part part, std::uint8_t code);
    Result<bool> advance(const Cursor& in, Part part, std::uint64_t units);
    Result<void> set_place(const Cursor& in, Part part, std::uint64_t place);
    Result<void> set(const Cursor& in, std::uint64_t dwarf, RuleKind kind, std::int64_t value);
    Result<void> set_scaled(const Cursor& in, std::uint64_t dwarf, RuleKind kind, std::int64_t factor);
    void restore(std::uint64_t dwarf);
    Slot slot_of(std::uint64_t dwarf) const;
    // Skips a block and returns its offset in the section.
    std::int64_t block(Cursor& in, std::uint32_t at) const;

    const CfiEntries& entries_;
    const CfiFunction& function_;
    std::size_t left_;  // instructions
    CfiState state_, first_;
    std::vector<CfiState> remembered_;
    Cursor in_;
    std::uint64_t begin_, end_, place_;
    bool begun_ = false;
};

}  // namespace perfdata
