// SPDX-License-Identifier: MIT
#include "trace_number.hpp"

namespace perfdata {
namespace {

std::uint64_t divided(TraceNumber left, TraceNumber right, bool rest) {
    if (right.bits == 0) return 0;
    if (!left.is_signed || !right.is_signed) return rest ? left.bits % right.bits : left.bits / right.bits;
    // The quotient of the lowest number and -1 has no place in 64 bits.
    if (right.bits == ~std::uint64_t{0}) return rest ? 0 : 0 - left.bits;
    const auto a = static_cast<std::int64_t>(left.bits);
    const auto b = static_cast<std::int64_t>(right.bits);
    return static_cast<std::uint64_t>(rest ? a % b : a / b);
}

std::uint64_t shifted_right(TraceNumber left, std::uint64_t by) {
    const bool fill = left.is_signed && static_cast<std::int64_t>(left.bits) < 0;
    if (by >= 64) return fill ? ~std::uint64_t{0} : 0;
    return fill ? static_cast<std::uint64_t>(static_cast<std::int64_t>(left.bits) >> by) : left.bits >> by;
}

TraceNumber truth(bool value) {
    return {value ? 1u : 0u, true};
}

}  // namespace

TraceNumber apply(TraceOperator op, TraceNumber left, TraceNumber right) {
    const bool is_signed = left.is_signed && right.is_signed;
    const auto a = left.bits, b = right.bits;
    const auto less = [is_signed](std::uint64_t first, std::uint64_t second) {
        return is_signed ? static_cast<std::int64_t>(first) < static_cast<std::int64_t>(second) : first < second;
    };
    switch (op) {
        case TraceOperator::logical_or: return truth(a != 0 || b != 0);
        case TraceOperator::logical_and: return truth(a != 0 && b != 0);
        case TraceOperator::equal: return truth(a == b);
        case TraceOperator::unequal: return truth(a != b);
        case TraceOperator::less_or_equal: return truth(!less(b, a));
        case TraceOperator::greater_or_equal: return truth(!less(a, b));
        case TraceOperator::shift_left: return {b < 64 ? a << b : 0, left.is_signed};
        case TraceOperator::shift_right: return {shifted_right(left, b), left.is_signed};
        case TraceOperator::bit_or: return {a | b, is_signed};
        case TraceOperator::bit_xor: return {a ^ b, is_signed};
        case TraceOperator::bit_and: return {a & b, is_signed};
        case TraceOperator::less: return truth(less(a, b));
        case TraceOperator::greater: return truth(less(b, a));
        case TraceOperator::add: return {a + b, is_signed};
        case TraceOperator::subtract: return {a - b, is_signed};
        case TraceOperator::multiply: return {a * b, is_signed};
        case TraceOperator::divide: return {divided(left, right, false), is_signed};
        case TraceOperator::rest: return {divided(left, right, true), is_signed};
        default: return {};
    }
}

TraceNumber apply(TraceOperator op, TraceNumber value) {
    switch (op) {
        case TraceOperator::logical_not: return truth(value.bits == 0);
        case TraceOperator::complement: return {~value.bits, value.is_signed};
        case TraceOperator::negate: return {0 - value.bits, value.is_signed};
        default: return value;
    }
}

}  // namespace perfdata
