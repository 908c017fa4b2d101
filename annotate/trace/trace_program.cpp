// SPDX-License-Identifier: MIT
#include "trace_program.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace perfdata {

bool TraceProgram::push(const Operation& operation, std::size_t operands) {
    depth_ = depth_ - std::min(operands, depth_) + 1;
    if (is_too_deep_ || depth_ > most_deep) {
        is_too_deep_ = true;
        operations_ = {};
        return false;
    }
    operations_.push_back(operation);
    // What has constant operands is one: the kernel's masks are sums of many.
    const auto constants = std::span(operations_).last(std::min(operands + 1, operations_.size()));
    const auto is_constant = [](const Operation& one) { return one.kind == Kind::constant; };
    if (operands == 0 || constants.size() != operands + 1) return true;
    if (!std::all_of(constants.begin(), constants.end() - 1, is_constant)) return true;
    TraceProgram part;
    part.operations_.assign(constants.begin(), constants.end());
    const auto value = part.run_all({}, AnyOrder());
    operations_.resize(operations_.size() - operands - 1);
    operations_.push_back({.value = value});
    return true;
}

bool TraceProgram::add_constant(TraceNumber value) {
    return push({.value = value}, 0);
}

bool TraceProgram::add_load(std::uint32_t offset, std::uint8_t bytes, bool is_signed) {
    return push({.kind = Kind::load, .bytes = bytes, .offset = offset, .value = {0, is_signed}}, 0);
}

bool TraceProgram::add_narrowing(std::uint8_t bytes, bool is_signed) {
    // Most casts are to what the field is anyway.
    if (!operations_.empty()) {
        auto& last = operations_.back();
        if (last.kind == Kind::load && (last.bytes == bytes || bytes == 8) && bytes != 0) {
            if (last.bytes == bytes) last.value.is_signed = is_signed;
            if (last.value.is_signed == is_signed) return true;
        }
    }
    return push({.kind = Kind::narrow, .bytes = bytes, .value = {0, is_signed}}, 1);
}

bool TraceProgram::add_operator(TraceOperator op, std::size_t operands) {
    return push({.kind = operands == 1 ? Kind::unary : Kind::binary, .op = op}, operands);
}

bool TraceProgram::add_choice() {
    return push({.kind = Kind::choose}, 3);
}

TraceNumber TraceProgram::run_all(Bytes raw, AnyOrder order) const {
    std::array<TraceNumber, most_deep> stack;
    std::size_t top = 0;  // push() made sure that it fits, and that operands are there
    for (const auto& operation : operations_) {
        switch (operation.kind) {
            case Kind::constant: stack[top++] = operation.value; break;
            case Kind::load: stack[top++] = loaded(operation, raw, order); break;
            case Kind::narrow: {
                const auto is_signed = operation.value.is_signed;
                stack[top - 1] = {narrowed(stack[top - 1].bits, operation.bytes, is_signed), is_signed};
                break;
            }
            case Kind::unary: stack[top - 1] = apply(operation.op, stack[top - 1]); break;
            case Kind::binary:
                --top;
                stack[top - 1] = apply(operation.op, stack[top - 1], stack[top]);
                break;
            case Kind::choose:
                top -= 2;
                stack[top - 1] = stack[top - 1].bits != 0 ? stack[top] : stack[top + 1];
                break;
        }
    }
    return stack[0];
}

}  // namespace perfdata
