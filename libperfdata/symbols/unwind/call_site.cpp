// SPDX-License-Identifier: MIT
#include "call_site.hpp"

namespace perfdata {
namespace {

// Returns the length of an instruction with one opcode byte by its ModRM byte and the byte behind that.
std::size_t length_by(unsigned modrm, unsigned sib) {
    const auto mode = modrm >> 6, memory = modrm & 7;
    if (mode == 3) return 2;
    const bool has_sib = memory == 4;
    const bool absolute = mode == 0 && (memory == 5 || (has_sib && (sib & 7) == 5));
    const std::size_t distance = mode == 1 ? 1 : mode == 2 || absolute ? 4 : 0;
    return 2 + (has_sib ? 1 : 0) + distance;
}

}  // namespace

bool ends_with_call(Bytes code) {
    // Returns a byte by its distance from the end.
    const auto before_end = [&](std::size_t distance) -> unsigned {
        return distance != 0 && distance <= code.size() ? std::to_integer<unsigned>(code[code.size() - distance]) : 0;
    };
    if (before_end(5) == 0xe8) return true;
    for (std::size_t length = 2; length <= longest_call && length <= code.size(); ++length) {
        const auto modrm = before_end(length - 1);
        const bool calls = before_end(length) == 0xff && (modrm >> 3 & 7) == 2;
        if (calls && length_by(modrm, before_end(length - 2)) == length) return true;
    }
    return false;
}

}  // namespace perfdata
