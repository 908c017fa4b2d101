// SPDX-License-Identifier: MIT
// Numbers in the text of tracepoints, and what C's operators make of them. All is done in 64 bits, as perf does.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfdata {

// TraceNumber has the signedness of its C type: it decides how numbers are compared, divided and shifted.
struct TraceNumber {
    std::uint64_t bits = 0;
    bool is_signed = false;

    bool operator==(const TraceNumber&) const = default;
};

enum class TraceOperator : std::uint8_t {
    logical_or,
    logical_and,
    equal,
    unequal,
    less_or_equal,
    greater_or_equal,
    shift_left,
    shift_right,
    bit_or,
    bit_xor,
    bit_and,
    less,
    greater,
    add,
    subtract,
    multiply,
    divide,
    rest,
    // Of one number:
    logical_not,
    complement,
    negate,
    keep,
};

// apply(op, left, right) computes an operator of two numbers.
TraceNumber apply(TraceOperator op, TraceNumber left, TraceNumber right);
// apply(op, value) computes an operator of one.
TraceNumber apply(TraceOperator op, TraceNumber value);

// narrowed(number, bytes, is_signed) keeps that many bytes, and extends them by their sign; other sizes than 1, 2 and 4
// keep all.
constexpr std::uint64_t narrowed(std::uint64_t number, std::uint64_t bytes, bool is_signed) {
    switch (bytes) {
        case 1: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int8_t>(number)) : number & 0xff;
        case 2: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int16_t>(number)) : number & 0xffff;
        case 4: return is_signed ? static_cast<std::uint64_t>(static_cast<std::int32_t>(number)) : number & 0xffffffff;
        default: return number;
    }
}

}  // namespace perfdata
