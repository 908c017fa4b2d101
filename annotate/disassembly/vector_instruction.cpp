// SPDX-License-Identifier: MIT
#include "vector_instruction.hpp"

namespace perfdata {
namespace {

// Opcode maps as numbered in the prefixes.
constexpr unsigned map_0f = 1, map_0f3a = 3;

bool has_immediate(unsigned map, unsigned opcode) {
    if (map == map_0f3a) return true;
    // Shuffles, shifts by a constant, compares, inserts and extracts.
    return map == map_0f &&
           ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6));
}

// operand_size(...) returns the size of ModRM, SIB and displacement. `at` returns a byte, 0 beyond the end.
template <class At>
std::size_t operand_size(At at, std::size_t begin) {
    constexpr unsigned in_register = 3, has_sib = 4, none = 5;
    const unsigned modrm = at(begin);
    const unsigned mod = modrm >> 6, rm = modrm & 7;
    if (mod == in_register) return 1;
    std::size_t size = rm == has_sib ? 2 : 1;
    const unsigned base = rm == has_sib ? at(begin + 1) & 7 : rm;
    if (mod == 1) size += 1;
    if (mod == 2 || (mod == 0 && base == none)) size += 4;
    return size;
}

}  // namespace

VectorInstruction vector_instruction(Bytes code) {
    const auto at = [&](std::size_t index) {
        return index < code.size() ? std::to_integer<unsigned>(code[index]) : 0u;
    };
    VectorInstruction found;
    std::size_t prefix = 0;
    unsigned map = map_0f;
    switch (at(0)) {
        case 0xc5: prefix = 2; break;
        case 0xc4:
            prefix = 3;
            map = at(1) & 0x1f;
            break;
        case 0x62:
            prefix = 4;
            map = at(1) & 7;
            break;
        default: return found;
    }
    found.prefix = at(0) == 0x62 ? "evex" : "vex";
    const auto opcode = at(prefix);
    constexpr unsigned zeroupper = 0x77;  // without operands
    auto size = prefix + 1;
    if (!(map == map_0f && opcode == zeroupper)) size += operand_size(at, size);
    if (has_immediate(map, opcode)) ++size;
    if (size <= code.size()) found.size = size;
    return found;
}

}  // namespace perfdata
