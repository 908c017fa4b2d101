// SPDX-License-Identifier: MIT
#include "cfi_expression.hpp"

#include <array>

#include "perfdata/core/cursor.hpp"

#include "cfi_number.hpp"

namespace perfdata {
namespace {

// DW_OP_* that may occur in call frame information.
enum ExpressionOperation : std::uint8_t {
    op_addr = 0x03,
    op_deref = 0x06,
    op_const1u = 0x08,
    op_const1s,
    op_const2u,
    op_const2s,
    op_const4u,
    op_const4s,
    op_const8u,
    op_const8s,
    op_constu,
    op_consts,
    op_dup,
    op_drop,
    op_over,
    op_pick,
    op_swap,
    op_rot,
    op_abs = 0x19,
    op_and,
    op_div,
    op_minus,
    op_mod,
    op_mul,
    op_neg,
    op_not,
    op_or,
    op_plus,
    op_plus_uconst,
    op_shl,
    op_shr,
    op_shra,
    op_xor,
    op_bra,
    op_eq,
    op_ge,
    op_gt,
    op_le,
    op_lt,
    op_ne,
    op_skip,
    op_lit0 = 0x30,
    op_reg0 = 0x50,
    op_breg0 = 0x70,
    op_regx = 0x90,
    op_bregx = 0x92,
    op_deref_size = 0x94,
    op_nop = 0x96,
    op_call_frame_cfa = 0x9c,
    op_stack_value = 0x9f,
};

constexpr std::size_t deepest_stack = 64;  // values on the stack

class ExpressionMachine {
  public:
    ExpressionMachine(Bytes operations, const ExpressionInput& input)
        : operations_(operations), input_(input), bits_(8 * input.target.address_bytes()) {}

    ExpressionValue run(ExpressionBudget& budget) {
        if (input_.cfa) push(*input_.cfa);
        auto in = cursor(0);
        while (outcome_ == StepOutcome::ok && in.remaining() != 0) {
            if (budget.operations == 0) return {StepOutcome::damaged, 0};
            --budget.operations;
            const auto operation = in.u8();
            if (operation == op_bra || operation == op_skip) {
                jump(in, operation);
            } else {
                one(in, operation);
            }
            if (!in.ok()) return {StepOutcome::damaged, 0};
        }
        const auto value = pop();
        return {outcome_, outcome_ == StepOutcome::ok ? value : 0};
    }

  private:
    Cursor cursor(std::size_t at) const { return {operations_.subspan(at), input_.order, {"DWARF expression", at}}; }
    void stop(StepOutcome outcome) {
        if (outcome_ == StepOutcome::ok) outcome_ = outcome;
    }
    void push(std::uint64_t value) {
        if (depth_ == deepest_stack) return stop(StepOutcome::damaged);
        stack_[depth_++] = value & input_.target.address_mask();
    }
    void push(std::int64_t value) { push(static_cast<std::uint64_t>(value)); }
    void push(bool value) { push(std::uint64_t{value}); }
    std::uint64_t pop() {
        if (depth_ == 0) {
            stop(StepOutcome::damaged);
            return 0;
        }
        return stack_[--depth_];
    }
    // Returns the value with the sign that it has in an address's width.
    std::int64_t with_sign(std::uint64_t value) const {
        return bits_ == 64 ? static_cast<std::int64_t>(value)
                           : std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(value))};
    }
    void push_picked(std::size_t down) {
        if (down >= depth_) return stop(StepOutcome::damaged);
        push(stack_[depth_ - 1 - down]);
    }
    void push_register(std::uint64_t dwarf, std::int64_t offset) {
        const auto slot = input_.target.slot(dwarf);
        if (!input_.registers.known(slot)) return stop(why_unknown(input_.registers, slot));
        push(input_.registers.value(slot) + static_cast<std::uint64_t>(offset));
    }
    void push_read(std::uint64_t address, unsigned width) {
        if (outcome_ != StepOutcome::ok) return;
        const auto word = input_.memory.read(address, width);
        if (word.answer != StackMemory::Answer::value) return stop(why_unread(word.answer));
        push(word.value);
    }

    void jump(Cursor& in, std::uint8_t operation) {
        const auto distance = static_cast<std::int16_t>(in.u16());
        if (operation == op_bra && pop() == 0) return;
        const auto to = static_cast<std::int64_t>(in.file_offset()) + distance;
        if (!in.ok() || to < 0 || static_cast<std::uint64_t>(to) > operations_.size()) {
            return stop(StepOutcome::damaged);
        }
        in = cursor(static_cast<std::size_t>(to));
    }

    void one(Cursor& in, std::uint8_t operation) {
        if (operation >= op_lit0 && operation < op_reg0) return push(std::uint64_t{operation} - op_lit0);
        if (operation >= op_reg0 && operation < op_breg0) return push_register(operation - op_reg0, 0);
        if (operation >= op_breg0 && operation < op_regx) {
            return push_register(operation - op_breg0, signed_number(in));
        }
        const auto narrow = input_.target.address_bytes() == 4;
        switch (operation) {
            case op_addr: return push((narrow ? in.u32() : in.u64()) + input_.bias);
            case op_const1u: return push(std::uint64_t{in.u8()});
            case op_const1s: return push(std::int64_t{static_cast<std::int8_t>(in.u8())});
            case op_const2u: return push(std::uint64_t{in.u16()});
            case op_const2s: return push(std::int64_t{static_cast<std::int16_t>(in.u16())});
            case op_const4u: return push(std::uint64_t{in.u32()});
            case op_const4s: return push(std::int64_t{static_cast<std::int32_t>(in.u32())});
            case op_const8u:
            case op_const8s: return push(in.u64());
            case op_constu: return push(unsigned_number(in));
            case op_consts: return push(signed_number(in));
            case op_regx: return push_register(unsigned_number(in), 0);
            case op_bregx: {
                const auto dwarf = unsigned_number(in);
                return push_register(dwarf, signed_number(in));
            }
            case op_deref: return push_read(pop(), input_.target.address_bytes());
            case op_deref_size: {
                const auto width = in.u8();
                if (width != 1 && width != 2 && width != 4 && width != 8) return stop(StepOutcome::damaged);
                return push_read(pop(), width);
            }
            case op_call_frame_cfa: return input_.cfa ? push(*input_.cfa) : stop(StepOutcome::damaged);
            case op_dup: return push_picked(0);
            case op_over: return push_picked(1);
            case op_pick: return push_picked(in.u8());
            case op_drop: return void(pop());
            case op_swap: {
                const auto top = pop(), second = pop();
                push(top);
                return push(second);
            }
            case op_rot: {
                const auto top = pop(), second = pop(), third = pop();
                push(top);
                push(third);
                return push(second);
            }
            case op_plus_uconst: {
                const auto top = pop();
                return push(top + unsigned_number(in));
            }
            case op_abs: {
                const auto top = pop();
                return push(with_sign(top) < 0 ? 0 - top : top);
            }
            case op_neg: return push(0 - pop());
            case op_not: return push(~pop());
            case op_nop:
            case op_stack_value: return;
            default: return two(operation);
        }
    }

    // Operations on the two values on top.
    void two(std::uint8_t operation) {
        const auto second = pop(), first = pop();
        const auto a = with_sign(first), b = with_sign(second);
        switch (operation) {
            case op_and: return push(first & second);
            case op_or: return push(first | second);
            case op_xor: return push(first ^ second);
            case op_plus: return push(first + second);
            case op_minus: return push(first - second);
            case op_mul: return push(first * second);
            case op_div:
                if (b == 0) return stop(StepOutcome::damaged);
                return b == -1 ? push(0 - first) : push(a / b);
            case op_mod:
                if (second == 0) return stop(StepOutcome::damaged);
                return push(first % second);
            case op_shl: return push(second < bits_ ? first << second : std::uint64_t{0});
            case op_shr: return push(second < bits_ ? first >> second : std::uint64_t{0});
            case op_shra: return push(second < bits_ ? a >> second : std::int64_t{a < 0 ? -1 : 0});
            case op_eq: return push(a == b);
            case op_ge: return push(a >= b);
            case op_gt: return push(a > b);
            case op_le: return push(a <= b);
            case op_lt: return push(a < b);
            case op_ne: return push(a != b);
            default: return stop(StepOutcome::damaged);
        }
    }

    Bytes operations_;
    const ExpressionInput& input_;
    unsigned bits_;
    StepOutcome outcome_ = StepOutcome::ok;
    std::size_t depth_ = 0;
    std::array<std::uint64_t, deepest_stack> stack_;  // valid up to depth_
};

}  // namespace

ExpressionValue compute(Bytes section, std::uint32_t block, const ExpressionInput& input, ExpressionBudget& budget) {
    if (block >= section.size()) return {StepOutcome::damaged, 0};
    Cursor in(section.subspan(block), input.order, {"DWARF expression"});
    const auto operations = in.bytes(unsigned_number(in));
    if (!in.ok()) return {StepOutcome::damaged, 0};
    return ExpressionMachine(operations, input).run(budget);
}

}  // namespace perfdata
