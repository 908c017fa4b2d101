// SPDX-License-Identifier: MIT
// The assignments are from bpf_jit_comp*.c of each architecture in Linux (arch/*/net).
#include "bpf_registers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <vector>

#include "perfdata/core/arch.hpp"

namespace perfdata {
namespace {

// Names of one machine register, whole and in parts.
struct Assigned {
    std::string_view bpf;
    std::array<std::string_view, 4> names;
};

constexpr Assigned x86[] = {
    {"r0", {"rax", "eax", "ax", "al"}},      {"r1", {"rdi", "edi", "di", "dil"}},
    {"r2", {"rsi", "esi", "si", "sil"}},     {"r3", {"rdx", "edx", "dx", "dl"}},
    {"r4", {"rcx", "ecx", "cx", "cl"}},      {"r5", {"r8", "r8d", "r8w", "r8b"}},
    {"r6", {"rbx", "ebx", "bx", "bl"}},      {"r7", {"r13", "r13d", "r13w", "r13b"}},
    {"r8", {"r14", "r14d", "r14w", "r14b"}}, {"r9", {"r15", "r15d", "r15w", "r15b"}},
    {"r10", {"rbp", "ebp", "bp", "bpl"}},
};
constexpr Assigned arm64[] = {
    {"r0", {"x7", "w7"}},   {"r1", {"x0", "w0"}},   {"r2", {"x1", "w1"}},    {"r3", {"x2", "w2"}},
    {"r4", {"x3", "w3"}},   {"r5", {"x4", "w4"}},   {"r6", {"x19", "w19"}},  {"r7", {"x20", "w20"}},
    {"r8", {"x21", "w21"}}, {"r9", {"x22", "w22"}}, {"r10", {"x25", "w25"}},
};
constexpr Assigned s390[] = {
    {"r0", {"r14"}}, {"r1", {"r2"}}, {"r2", {"r3"}}, {"r3", {"r4"}},  {"r4", {"r5"}},   {"r5", {"r6"}},
    {"r6", {"r7"}},  {"r7", {"r8"}}, {"r8", {"r9"}}, {"r9", {"r10"}}, {"r10", {"r13"}},
};
constexpr Assigned riscv[] = {
    {"r0", {"a5"}}, {"r1", {"a0"}}, {"r2", {"a1"}}, {"r3", {"a2"}}, {"r4", {"a3"}},  {"r5", {"a4"}},
    {"r6", {"s1"}}, {"r7", {"s2"}}, {"r8", {"s3"}}, {"r9", {"s4"}}, {"r10", {"s5"}},
};
constexpr Assigned ppc64[] = {
    {"r0", {"r8"}},  {"r1", {"r3"}},  {"r2", {"r4"}},  {"r3", {"r5"}},  {"r4", {"r6"}},   {"r5", {"r7"}},
    {"r6", {"r27"}}, {"r7", {"r28"}}, {"r8", {"r29"}}, {"r9", {"r30"}}, {"r10", {"r31"}},
};

std::span<const Assigned> assigned(std::string_view arch) {
    const auto* known = find_arch(arch);
    if (known == nullptr || known->address_bytes != 8) return {};  // others keep BPF registers in memory
    switch (known->family) {
        case ArchFamily::x86: return x86;
        case ArchFamily::arm64: return arm64;
        case ArchFamily::s390: return s390;
        case ArchFamily::riscv: return riscv;
        case ArchFamily::powerpc: return ppc64;
        case ArchFamily::arm:
        case ArchFamily::mips:
        case ArchFamily::loongarch: break;
    }
    return {};
}

bool is_register_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string bpf_registers(std::string_view arch, std::string_view operands) {
    const auto registers = assigned(arch);
    std::string text;
    std::vector<std::string_view> told;
    while (!operands.empty()) {
        const auto begin = std::ranges::find_if(operands, is_register_word);
        const auto end = std::find_if_not(begin, operands.end(), is_register_word);
        const std::string_view word(begin, end);
        operands = std::string_view(end, operands.end());
        const auto found = std::ranges::find_if(registers, [&](const Assigned& one) {
            return !word.empty() && std::ranges::find(one.names, word) != one.names.end();
        });
        if (found == registers.end() || std::ranges::find(told, word) != told.end()) continue;
        told.push_back(word);
        text += text.empty() ? "" : ", ";
        text += word;
        text += '=';
        text += found->bpf;
    }
    return text;
}

}  // namespace perfdata
