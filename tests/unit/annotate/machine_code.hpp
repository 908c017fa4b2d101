// SPDX-License-Identifier: MIT
// Machine code for the disassembler's tests.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"

#include "catch.hpp"
#include "support/writer.hpp"

namespace perfdata::test {

inline Blob bytes_of(std::initializer_list<unsigned> values) {
    Blob blob;
    for (const auto value : values) blob.push_back(static_cast<std::byte>(value));
    return blob;
}

// words(order, values): fixed-size instructions of 32 bits.
inline Blob words(std::endian order, std::initializer_list<std::uint32_t> values) {
    Writer out(order);
    for (const auto value : values) out.u32(value);
    return out.take();
}

inline std::vector<Instruction> disassembled(std::string_view arch, const Blob& code, std::uint64_t address,
                                             Syntax syntax = Syntax::att) {
    const auto disassembler = Disassembler::create(arch, syntax);
    REQUIRE(disassembler);
    return disassembler->decode(code, {address});
}

// A64 instructions.
namespace a64 {
inline std::uint32_t movz(unsigned rd, unsigned value, unsigned part = 0) {
    return 0xd2800000 | part << 21 | value << 5 | rd;
}
inline std::uint32_t movn(unsigned rd, unsigned value, unsigned part = 0) {
    return 0x92800000 | part << 21 | value << 5 | rd;
}
inline std::uint32_t movk(unsigned rd, unsigned value, unsigned part) {
    return 0xf2800000 | part << 21 | value << 5 | rd;
}
inline std::uint32_t movz_w(unsigned rd, unsigned value) {
    return 0x52800000 | value << 5 | rd;
}
inline std::uint32_t blr(unsigned rn) {
    return 0xd63f0000 | rn << 5;
}
inline std::uint32_t br(unsigned rn) {
    return 0xd61f0000 | rn << 5;
}
inline std::uint32_t bl(unsigned words_ahead) {
    return 0x94000000 | words_ahead;
}
inline std::uint32_t b(unsigned words_ahead) {
    return 0x14000000 | words_ahead;
}
inline std::uint32_t ldp(unsigned one, unsigned two) {
    return 0xa9400000 | two << 10 | 31 << 5 | one;
}
inline std::uint32_t add(unsigned rd, unsigned rn) {
    return 0x91000400 | rn << 5 | rd;
}  // add rd, rn, #1
inline constexpr std::uint32_t nop = 0xd503201f, ret = 0xd65f03c0;
}  // namespace a64

}  // namespace perfdata::test
