// SPDX-License-Identifier: MIT
#include "arm64_instruction.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace perfdata {
namespace {

constexpr std::uint32_t no_register = 31;  // the zero register, or the stack pointer

constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
    return word >> low & ((std::uint32_t{1} << count) - 1);
}

std::string data_register(std::uint32_t number, bool wide) {
    if (number == no_register) return wide ? "xzr" : "wzr";
    return fmt::format("{}{}", wide ? 'x' : 'w', number);
}

std::string base_register(std::uint32_t number) {
    return number == no_register ? "sp" : fmt::format("x{}", number);
}

// C6.2, HINT: by CRm:op2. Numbers without a name remain hints.
std::string_view hint_name(std::uint32_t number) {
    switch (number) {
        case 0: return "nop";
        case 1: return "yield";
        case 2: return "wfe";
        case 3: return "wfi";
        case 4: return "sev";
        case 5: return "sevl";
        case 6: return "dgh";
        case 7: return "xpaclri";
        case 8: return "pacia1716";
        case 10: return "pacib1716";
        case 12: return "autia1716";
        case 14: return "autib1716";
        case 16: return "esb";
        case 17: return "psb csync";
        case 18: return "tsb csync";
        case 20: return "csdb";
        case 22: return "clearbhb";
        case 24: return "paciaz";
        case 25: return "paciasp";
        case 26: return "pacibz";
        case 27: return "pacibsp";
        case 28: return "autiaz";
        case 29: return "autiasp";
        case 30: return "autibz";
        case 31: return "autibsp";
        case 32: return "bti";
        case 34: return "bti c";
        case 36: return "bti j";
        case 38: return "bti jc";
        default: return {};
    }
}

std::optional<Arm64Instruction> hint(std::uint32_t word) {
    if ((word & 0xfffff01f) != 0xd503201f) return {};
    const auto name = hint_name(bits(word, 5, 7));
    if (name.empty()) return {};
    const auto space = name.find(' ');
    if (space == name.npos) return Arm64Instruction{std::string(name), {}};
    return Arm64Instruction{std::string(name.substr(0, space)), std::string(name.substr(space + 1))};
}

// Returns the name of an atomic instruction with its suffixes for memory order and size.
std::string with_suffix(std::string_view name, bool acquire, bool release, std::uint32_t size) {
    constexpr std::array<std::string_view, 4> sizes = {"b", "h", "", ""};
    return fmt::format("{}{}{}{}", name, acquire ? "a" : "", release ? "l" : "", sizes[size]);
}

// C6.2, CAS and CASP: [23] one or a pair, [22] acquire, [15] release.
std::optional<Arm64Instruction> compare_and_swap(std::uint32_t word) {
    if ((word & 0x3f207c00) != 0x08207c00) return {};
    const bool one = bits(word, 23, 1) != 0;
    const bool acquire = bits(word, 22, 1) != 0, release = bits(word, 15, 1) != 0;
    const auto size = bits(word, 30, 2), compared = bits(word, 16, 5), stored = bits(word, 0, 5);
    const auto base = base_register(bits(word, 5, 5));
    if (one) {
        const bool wide = size == 3;
        return Arm64Instruction{
            with_suffix("cas", acquire, release, size),
            fmt::format("{}, {}, [{}]", data_register(compared, wide), data_register(stored, wide), base)};
    }
    if (size > 1 || compared % 2 != 0 || stored % 2 != 0) return {};
    const bool wide = size == 1;
    return Arm64Instruction{
        with_suffix("casp", acquire, release, 3),
        fmt::format("{}, {}, {}, {}, [{}]", data_register(compared, wide), data_register(compared + 1, wide),
                    data_register(stored, wide), data_register(stored + 1, wide), base)};
}

// C4.1, atomic memory operations: [23] acquire, [22] release, [15] and [14:12] the operation.
std::optional<Arm64Instruction> atomic(std::uint32_t word) {
    if ((word & 0x3f200c00) != 0x38200000) return {};
    constexpr std::array<std::string_view, 8> operations = {"add", "clr", "eor", "set", "smax", "smin", "umax", "umin"};
    const bool acquire = bits(word, 23, 1) != 0, release = bits(word, 22, 1) != 0;
    const auto size = bits(word, 30, 2), source = bits(word, 16, 5), loaded = bits(word, 0, 5);
    const auto operation = bits(word, 12, 3);
    const bool wide = size == 3;
    const auto base = base_register(bits(word, 5, 5));
    if (bits(word, 15, 1) == 0) {
        if (loaded == no_register && !acquire) {  // the old value is discarded
            return Arm64Instruction{with_suffix(fmt::format("st{}", operations[operation]), false, release, size),
                                    fmt::format("{}, [{}]", data_register(source, wide), base)};
        }
        return Arm64Instruction{
            with_suffix(fmt::format("ld{}", operations[operation]), acquire, release, size),
            fmt::format("{}, {}, [{}]", data_register(source, wide), data_register(loaded, wide), base)};
    }
    if (operation == 0) {
        return Arm64Instruction{
            with_suffix("swp", acquire, release, size),
            fmt::format("{}, {}, [{}]", data_register(source, wide), data_register(loaded, wide), base)};
    }
    if (operation == 4 && acquire && !release && source == no_register) {
        return Arm64Instruction{with_suffix("ldapr", false, false, size),
                                fmt::format("{}, [{}]", data_register(loaded, wide), base)};
    }
    return {};
}

// Branches that authenticate a pointer: C4.1, unconditional branch (register).
std::optional<Arm64Instruction> checked_branch(std::uint32_t word) {
    switch (word) {
        case 0xd65f0bff: return Arm64Instruction{"retaa", {}};
        case 0xd65f0fff: return Arm64Instruction{"retab", {}};
        case 0xd69f0bff: return Arm64Instruction{"eretaa", {}};
        case 0xd69f0fff: return Arm64Instruction{"eretab", {}};
        default: break;
    }
    const auto to = data_register(bits(word, 5, 5), true);
    switch (word & 0xfffffc1f) {
        case 0xd61f081f: return Arm64Instruction{"braaz", to};
        case 0xd61f0c1f: return Arm64Instruction{"brabz", to};
        case 0xd63f081f: return Arm64Instruction{"blraaz", to};
        case 0xd63f0c1f: return Arm64Instruction{"blrabz", to};
        default: break;
    }
    auto both = fmt::format("{}, {}", to, base_register(bits(word, 0, 5)));
    switch (word & 0xfffffc00) {
        case 0xd71f0800: return Arm64Instruction{"braa", std::move(both)};
        case 0xd71f0c00: return Arm64Instruction{"brab", std::move(both)};
        case 0xd73f0800: return Arm64Instruction{"blraa", std::move(both)};
        case 0xd73f0c00: return Arm64Instruction{"blrab", std::move(both)};
        default: return {};
    }
}

// Signing and authenticating pointers in any register: C4.1, data-processing (1 source) and PACGA.
std::optional<Arm64Instruction> signed_pointer(std::uint32_t word) {
    const auto to = data_register(bits(word, 0, 5), true);
    const auto from = bits(word, 5, 5);
    if ((word & 0xffe0fc00) == 0x9ac03000) {
        return Arm64Instruction{
            "pacga", fmt::format("{}, {}, {}", to, data_register(from, true), base_register(bits(word, 16, 5)))};
    }
    if ((word & 0xffff8000) != 0xdac10000) return {};
    constexpr std::array<std::string_view, 8> names = {"pacia", "pacib", "pacda", "pacdb",
                                                       "autia", "autib", "autda", "autdb"};
    constexpr std::array<std::string_view, 8> zero_names = {"paciza", "pacizb", "pacdza", "pacdzb",
                                                            "autiza", "autizb", "autdza", "autdzb"};
    const auto operation = bits(word, 10, 5);
    if (operation < 8) {
        return Arm64Instruction{std::string(names[operation]), fmt::format("{}, {}", to, base_register(from))};
    }
    if (from != no_register) return {};
    if (operation < 16) return Arm64Instruction{std::string(zero_names[operation - 8]), to};
    if (operation == 16) return Arm64Instruction{"xpaci", to};
    if (operation == 17) return Arm64Instruction{"xpacd", to};
    return {};
}

}  // namespace

bool is_arm64_atomic(std::uint32_t word) {
    return compare_and_swap(word) || atomic(word);
}

std::optional<Arm64Instruction> arm64_instruction(std::uint32_t word) {
    for (const auto known : {hint, compare_and_swap, atomic, checked_branch, signed_pointer}) {
        if (auto found = known(word)) return found;
    }
    return {};
}

}  // namespace perfdata
