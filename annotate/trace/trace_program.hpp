// SPDX-License-Identifier: MIT
// Numbers of a tracepoint's format as flat programs: made once, run for each sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfdata/core/cursor.hpp"

#include "trace_number.hpp"

namespace perfdata {

// TraceProgram is the operations of one expression in the order in which they are done: operands come first, and each
// operation takes its operands from a stack, and puts its result there. Constants are computed when it is made.
//
//     (REC->prio & 0x0f) + 1     load 24, 4 bytes; constant 15; bit_and; constant 1; add
class TraceProgram {
  public:
    static constexpr std::size_t most_deep = 16;  // numbers on the stack

    // is_empty() returns true if there is none: the expression must be evaluated by its tree.
    bool is_empty() const { return operations_.empty(); }
    std::size_t size() const { return operations_.size(); }  // number of operations

    // run(raw, order) computes the number. It must not be empty.
    TraceNumber run(Bytes raw, AnyOrder order) const {
        const auto& first = operations_.front();
        // Nearly all arguments are fields as they are.
        if (operations_.size() == 1) return first.kind == Kind::load ? loaded(first, raw, order) : first.value;
        return run_all(raw, order);
    }

    // These add an operation behind its operands. They return false, and the program is empty from then on, if it needs
    // too large a stack.
    bool add_constant(TraceNumber value);
    // A number of 1, 2, 4 or 8 bytes at a place in the raw data; 0 if that is not in the data.
    bool add_load(std::uint32_t offset, std::uint8_t bytes, bool is_signed);
    bool add_narrowing(std::uint8_t bytes, bool is_signed);  // a cast
    bool add_operator(TraceOperator op, std::size_t operands);
    bool add_choice();  // of condition, yes, no

  private:
    enum class Kind : std::uint8_t { constant, load, narrow, unary, binary, choose };
    struct Operation {
        Kind kind = Kind::constant;
        TraceOperator op = TraceOperator::keep;
        std::uint8_t bytes = 0;
        std::uint32_t offset = 0;
        TraceNumber value{};  // of a constant; else its signedness alone counts
    };

    static TraceNumber loaded(const Operation& operation, Bytes raw, AnyOrder order) {
        const auto is_signed = operation.value.is_signed;
        if (raw.size() < std::size_t{operation.offset} + operation.bytes) return {0, is_signed};
        const auto* const at = raw.data() + operation.offset;
        switch (operation.bytes) {
            case 1: return {narrowed(order.load<std::uint8_t>(at), 1, is_signed), is_signed};
            case 2: return {narrowed(order.load<std::uint16_t>(at), 2, is_signed), is_signed};
            case 4: return {narrowed(order.load<std::uint32_t>(at), 4, is_signed), is_signed};
            default: return {order.load<std::uint64_t>(at), is_signed};
        }
    }
    TraceNumber run_all(Bytes raw, AnyOrder order) const;
    bool push(const Operation& operation, std::size_t operands);

    std::vector<Operation> operations_;
    std::size_t depth_ = 0;
    bool is_too_deep_ = false;
};

}  // namespace perfdata
