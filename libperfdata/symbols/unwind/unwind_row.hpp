// SPDX-License-Identifier: MIT
// How to get from a frame to its caller's, for a range of code: one row of unwind information.
//
// DWARF describes a function's frame relative to the canonical frame address (CFA), the caller's stack pointer before
// the call. On x86-64, in a function that has pushed rbp and rbx and made room for its variables:
//
//        higher addresses
//      |                    |
//      | caller's frame     |
//      +--------------------+ <- CFA = rsp + 48            the row's CFA: slot 7 (rsp), offset 48
//      | return address     |    at CFA - 8                slot 16: at_offset -8
//      | saved rbp          |    at CFA - 16               slot  6: at_offset -16
//      | saved rbx          |    at CFA - 24               slot  3: at_offset -24
//      | variables          |
//      +--------------------+ <- rsp                       caller's rsp: the CFA; other registers: as they are
//        lower addresses
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "symbols/unwind/unwind_target.hpp"

namespace perfdata {

enum class RuleKind : std::uint8_t {
    same,           // the caller's value is still in the register
    undefined,      // the caller's value is lost
    at_offset,      // in memory at CFA + value
    is_offset,      // is CFA + value
    in_slot,        // in another register: value is its slot
    at_expression,  // in memory at the address that an expression computes from the CFA
    is_expression,  // is what an expression computes from the CFA
};

// A rule for the caller's value of one register. `value` depends on the kind; of expressions it is the offset in their
// section of the block (its length, then its operations), as 32 bits without sign.
struct UnwindRule {
    Slot slot = 0;
    RuleKind kind = RuleKind::same;
    std::int32_t value = 0;

    bool operator==(const UnwindRule&) const = default;
    std::uint32_t expression() const { return static_cast<std::uint32_t>(value); }
};

// RuleSpill keeps the rules of rows that have many, or wide ones: signal frames, and functions of processors with many
// callee-saved registers. It grows with the rows that are made into it; they refer to it by index.
class RuleSpill {
  public:
    std::uint32_t add(std::span<const UnwindRule> rules) {
        const auto at = rules_.size();
        rules_.insert(rules_.end(), rules.begin(), rules.end());
        return static_cast<std::uint32_t>(at);
    }
    // Returns an empty span if the rules are not of this spill.
    std::span<const UnwindRule> rules(std::uint32_t at, std::size_t count) const {
        if (at > rules_.size() || count > rules_.size() - at) return {};
        return std::span(rules_).subspan(at, count);
    }
    std::size_t size() const { return rules_.size(); }

  private:
    std::vector<UnwindRule> rules_;
};

// UnwindRow holds for [begin, end()), virtual addresses of the file. It is 64 bytes: up to ten rules lie in it, packed
// into 32 bits each (slot 6, kind 3, value 23 bits); more of them, or larger values, lie in a RuleSpill.
//
// A register without a rule keeps its value, as an ABI's callee-saved registers do. That is also what we assume of the
// others (gcc's and gdb's unwinders do, too): a register that a callee may have changed is never needed by a correct
// row of the caller. The stack pointer without a rule is the CFA (UnwindTarget::stack_pointer_is_cfa).
class UnwindRow {
  public:
    enum Flag : std::uint8_t {
        // The frame is a signal's: its caller was interrupted, not calling, so its pc is no return address.
        signal_frame = 1,
        // There is no caller: the return address is undefined.
        outermost = 2,
        // The return address, where it is saved, is signed by arm64's pointer authentication.
        return_signed = 4,
        // The CFA is what an expression computes: cfa_value is the offset of its block.
        cfa_expression = 8,
        // Expressions lie in .debug_frame, not in .eh_frame.
        in_debug_frame = 16,
        // The rules are in the spill; packed[0] says where.
        spilled = 32,
        // The row is good at calls only: .ARM.exidx describes a function's frame as it is after the prologue.
        calls_only = 64,
        // The file says that the function cannot be unwound: nobody calls it, or it was built without tables (Arm).
        refused = 128,
    };
    static constexpr std::size_t inline_rules = 10;

    std::uint64_t begin = 0;
    std::uint32_t size = 0;      // bytes
    std::int32_t cfa_value = 0;  // offset, or offset of the expression
    Slot cfa_slot = 0;
    Slot return_slot = 0;  // its caller's value is the caller's pc
    std::uint8_t flags = 0;
    std::uint8_t count = 0;     // of rules
    std::uint32_t in_mini = 0;  // 1: of the file's mini debug information, also its expressions
    std::array<std::uint32_t, inline_rules> packed{};

    std::uint64_t end() const { return begin + size; }
    bool contains(std::uint64_t vaddr) const { return vaddr - begin < size; }
    // Cuts the row to [from, to), which it overlaps.
    void clip(std::uint64_t from, std::uint64_t to) {
        const auto last = to < end() ? to : end();
        if (begin < from) begin = from;
        size = static_cast<std::uint32_t>(last - begin);
    }
    bool has(Flag flag) const { return (flags & flag) != 0; }
    std::uint32_t cfa_block() const { return static_cast<std::uint32_t>(cfa_value); }

    // Sets the rules, sorted by slot; at most one of each.
    void set_rules(std::span<const UnwindRule> rules, RuleSpill& spill) {
        count = static_cast<std::uint8_t>(rules.size());
        bool fits = rules.size() <= inline_rules;
        for (const auto& rule : rules) fits = fits && unpack(pack(rule)) == rule;
        if (!fits) {
            flags |= spilled;
            packed[0] = spill.add(rules);
            return;
        }
        for (std::size_t at = 0; at < rules.size(); ++at) packed[at] = pack(rules[at]);
    }
    // Calls visit(rule) for each rule, by slot. visit returns false to stop. Returns false if it did.
    template <class Visit>
    bool for_each_rule(const RuleSpill& spill, Visit&& visit) const {
        if (has(spilled)) {
            for (const auto& rule : spill.rules(packed[0], count)) {
                if (!visit(rule)) return false;
            }
            return true;
        }
        for (std::size_t at = 0; at < count && at < inline_rules; ++at) {
            if (!visit(unpack(packed[at]))) return false;
        }
        return true;
    }

  private:
    static constexpr std::uint32_t pack(const UnwindRule& rule) {
        return static_cast<std::uint32_t>(rule.value) << 9 | static_cast<std::uint32_t>(rule.kind) << 6 | rule.slot;
    }
    static constexpr UnwindRule unpack(std::uint32_t word) {
        return {static_cast<Slot>(word & 63), static_cast<RuleKind>(word >> 6 & 7),
                static_cast<std::int32_t>(word) >> 9};
    }
};

static_assert(sizeof(UnwindRow) == 64 && std::is_trivially_copyable_v<UnwindRow>);

}  // namespace perfdata
