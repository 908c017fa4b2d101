// SPDX-License-Identifier: MIT
#include "frame_step.hpp"

#include <array>
#include <bit>

#include "cfi_expression.hpp"

namespace perfdata {
namespace {

// RowStep is what one step has computed: the caller's values where they differ from the frame's.
class RowStep {
  public:
    RowStep(const UnwindTarget& target, const UnwindRow& row, const RowSource& source, const StackMemory& memory,
            const RegisterFile& registers, ExpressionBudget& budget)
        : target_(target), row_(row), source_(source), memory_(memory), registers_(registers), budget_(budget) {}

    StepOutcome find_cfa() {
        if (row_.has(UnwindRow::cfa_expression)) {
            const auto found = computed(row_.cfa_block(), {});
            cfa_ = found.value;
            if (found.outcome != StepOutcome::ok) return found.outcome;
        } else {
            if (!registers_.known(row_.cfa_slot)) return why_unknown(registers_, row_.cfa_slot);
            cfa_ = registers_.value(row_.cfa_slot) + static_cast<std::uint64_t>(std::int64_t{row_.cfa_value});
        }
        cfa_ &= target_.address_mask();
        if (cfa_ % target_.address_bytes() != 0 && !target_.stack_may_be_odd()) return StepOutcome::damaged;
        // The caller's frame lies above this one. Signals may have a stack of their own, anywhere, and what needs an
        // expression may, too.
        const bool may_jump = row_.has(UnwindRow::signal_frame) || row_.has(UnwindRow::cfa_expression);
        const auto stack_pointer = target_.stack_pointer();
        if (!may_jump && registers_.known(stack_pointer) && is_below(registers_.value(stack_pointer))) {
            // A register that a switch of stacks kept leads to the other one, which may lie in the same page. gcc's
            // -fsplit-stack and coroutines have such frames.
            const bool on_other_stack = row_.cfa_slot != stack_pointer && memory_.in_user_space(cfa_);
            return on_other_stack ? StepOutcome::out_of_reach : StepOutcome::damaged;
        }
        return StepOutcome::ok;
    }

    // Applies one rule. A register whose value cannot be found becomes unknown: it matters only if it is needed.
    void apply(const UnwindRule& rule) {
        Found found;
        switch (rule.kind) {
            case RuleKind::same: return;
            case RuleKind::undefined: found.outcome = StepOutcome::register_missing; break;
            case RuleKind::at_offset:
                if (is_popped(rule)) return;
                found = in_memory(at(rule.value));
                break;
            case RuleKind::is_offset: found.value = at(rule.value); break;
            case RuleKind::in_slot: {
                const auto slot = static_cast<Slot>(rule.value);
                found.value = registers_.value(slot);
                if (!registers_.known(slot)) found.outcome = why_unknown(registers_, slot);
                break;
            }
            case RuleKind::at_expression:
                found = computed(rule.expression(), cfa_);
                if (found.outcome == StepOutcome::ok) found = in_memory(found.value);
                break;
            case RuleKind::is_expression: found = computed(rule.expression(), cfa_); break;
        }
        const auto bit = std::uint64_t{1} << rule.slot;
        if (rule.slot == row_.return_slot) return_outcome_ = found.outcome;
        if (found.outcome == StepOutcome::ok) {
            values_[rule.slot] = found.value & target_.address_mask();
            found_ |= bit;
        } else {
            lost_ |= bit;
            if (found.outcome == StepOutcome::stack_too_short) uncopied_ |= bit;
        }
    }

    // Makes the registers the caller's.
    StepOutcome finish(RegisterFile& registers) {
        if (return_outcome_ != StepOutcome::ok) return return_outcome_;
        const auto return_bit = std::uint64_t{1} << row_.return_slot;
        const bool has_rule = (found_ & return_bit) != 0;
        if (!has_rule && !target_.has_link_register()) return StepOutcome::damaged;
        if (!has_rule && !registers.known(row_.return_slot)) return why_unknown(registers, row_.return_slot);
        auto pc = has_rule ? values_[row_.return_slot] : registers.value(row_.return_slot);
        const auto stack_pointer = target_.stack_pointer();
        const auto stack_bit = std::uint64_t{1} << stack_pointer;
        if (row_.has(UnwindRow::return_signed)) {
            pc = without_signature(pc, registers.pc, registers.value(stack_pointer));
        }
        pc = target_.code_address(pc);
        if (pc == 0) return StepOutcome::outermost;
        if (((found_ | lost_) & stack_bit) == 0 && target_.stack_pointer_is_cfa()) {
            values_[stack_pointer] = cfa_;
            found_ |= stack_bit;
        }
        const bool known = registers.known(stack_pointer) && (lost_ & stack_bit) == 0;
        const auto before = registers.value(stack_pointer);
        const auto after = (found_ & stack_bit) != 0 ? values_[stack_pointer] : before;
        if (known && after < before && !row_.has(UnwindRow::signal_frame) && !row_.has(UnwindRow::cfa_expression)) {
            return StepOutcome::damaged;
        }
        // A return address that is still in its register leads to another function, once. Behind a call it would lead
        // to where the call returns, again and again.
        if (pc == registers.pc && (!has_rule || (known && after == before))) return StepOutcome::no_change;
        for (auto rest = lost_; rest != 0; rest &= rest - 1) {
            const auto slot = static_cast<Slot>(std::countr_zero(rest));
            registers.forget(slot);
            if ((uncopied_ >> slot & 1) != 0) registers.forget_uncopied(slot);
        }
        for (auto rest = found_; rest != 0; rest &= rest - 1) {
            const auto slot = static_cast<Slot>(std::countr_zero(rest));
            registers.set(slot, values_[slot]);
        }
        registers.set(row_.return_slot, pc);
        registers.pc = pc;
        return StepOutcome::ok;
    }

  private:
    struct Found {
        StepOutcome outcome = StepOutcome::ok;
        std::uint64_t value = 0;
    };

    // Returns true if the frame's CFA cannot be on the stack that the stack pointer is on. On x86 the call has pushed
    // the return address below the CFA: where the copy begins at the CFA, that would lie below the stack.
    bool is_below(std::uint64_t stack_pointer) const {
        const bool pushed = !target_.has_link_register() && row_.cfa_slot != target_.stack_pointer();
        return cfa_ < stack_pointer || (pushed && cfa_ == stack_pointer && cfa_ == memory_.begin());
    }
    // Returns true in epilogues: behind `leave` or `pop`, gcc's rules still say that the register is saved, now below
    // the stack pointer. It has its caller's value again. (Processors with a red zone for saved registers are others.)
    bool is_popped(const UnwindRule& rule) const {
        const auto stack_pointer = target_.stack_pointer();
        return target_.family() == ArchFamily::x86 && rule.slot != row_.return_slot &&
               registers_.known(stack_pointer) && at(rule.value) < registers_.value(stack_pointer);
    }
    std::uint64_t at(std::int32_t offset) const {
        return (cfa_ + static_cast<std::uint64_t>(std::int64_t{offset})) & target_.address_mask();
    }
    Found in_memory(std::uint64_t address) const {
        const auto word = memory_.read(address, target_.address_bytes());
        return {why_unread(word.answer), word.value};
    }
    Found computed(std::uint32_t block, std::optional<std::uint64_t> cfa) {
        const auto section = row_.has(UnwindRow::in_debug_frame) ? source_.debug_frame : source_.eh_frame;
        const ExpressionInput input{target_, registers_, memory_, source_.order, source_.bias, cfa};
        const auto computed = compute(section, block, input, budget_);
        return {computed.outcome, computed.value};
    }

    const UnwindTarget& target_;
    const UnwindRow& row_;
    const RowSource& source_;
    const StackMemory& memory_;
    const RegisterFile& registers_;
    ExpressionBudget& budget_;
    std::uint64_t cfa_ = 0;
    std::uint64_t found_ = 0, lost_ = 0;  // a bit for each slot
    std::uint64_t uncopied_ = 0;          // those of lost_ that lie beyond the copied bytes
    StepOutcome return_outcome_ = StepOutcome::ok;
    std::array<std::uint64_t, slot_count> values_;  // valid where found
};

}  // namespace

StepOutcome step(const UnwindTarget& target, const UnwindRow& row, const RowSource& source, const StackMemory& memory,
                 RegisterFile& registers, ExpressionBudget& budget) {
    if (row.has(UnwindRow::outermost)) return StepOutcome::outermost;
    if (row.has(UnwindRow::refused)) return StepOutcome::refused;
    RowStep made(target, row, source, memory, registers, budget);
    if (const auto outcome = made.find_cfa(); outcome != StepOutcome::ok) return outcome;
    const RuleSpill none;
    row.for_each_rule(source.spill != nullptr ? *source.spill : none, [&](const UnwindRule& rule) {
        made.apply(rule);
        return true;
    });
    return made.finish(registers);
}

std::uint64_t without_signature(std::uint64_t address, std::uint64_t pc, std::uint64_t stack_pointer) {
    constexpr unsigned sizes[] = {39, 42, 47, 48, 52};
    const auto needed = static_cast<unsigned>(std::bit_width(pc | stack_pointer));
    for (const auto size : sizes) {
        if (needed <= size) return address & ((std::uint64_t{1} << size) - 1);
    }
    return address & ((std::uint64_t{1} << 55) - 1);
}

}  // namespace perfdata
