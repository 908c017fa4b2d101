// SPDX-License-Identifier: MIT
#include "constants.hpp"

#include <span>
#include <string_view>

#include "perfdata/core/endian.hpp"

#include "arm64_instruction.hpp"

namespace perfdata {

namespace {

// Returns how many bytes a load of s390x reads; 0 for other instructions.
std::uint64_t read_by(unsigned instruction) {
    switch (instruction) {
        case SYSZ_INS_LGRL:
        case SYSZ_INS_CGRL:
        case SYSZ_INS_CLGRL:
        case SYSZ_INS_LG:
        case SYSZ_INS_AG:
        case SYSZ_INS_SG:
        case SYSZ_INS_NG:
        case SYSZ_INS_OG:
        case SYSZ_INS_XG:
        case SYSZ_INS_CG:
        case SYSZ_INS_CLG:
        case SYSZ_INS_MSG:
        case SYSZ_INS_DLG:
        case SYSZ_INS_LMG: return 8;
        case SYSZ_INS_LRL:
        case SYSZ_INS_LGFRL:
        case SYSZ_INS_LLGFRL:
        case SYSZ_INS_CRL:
        case SYSZ_INS_CLRL:
        case SYSZ_INS_CGFRL:
        case SYSZ_INS_CLGFRL:
        case SYSZ_INS_L:
        case SYSZ_INS_LY:
        case SYSZ_INS_LGF:
        case SYSZ_INS_LLGF:
        case SYSZ_INS_A:
        case SYSZ_INS_S:
        case SYSZ_INS_N:
        case SYSZ_INS_O:
        case SYSZ_INS_X:
        case SYSZ_INS_C:
        case SYSZ_INS_CL:
        case SYSZ_INS_MS:
        case SYSZ_INS_DL: return 4;
        case SYSZ_INS_LHRL:
        case SYSZ_INS_LGHRL:
        case SYSZ_INS_LLHRL:
        case SYSZ_INS_LLGHRL:
        case SYSZ_INS_CHRL:
        case SYSZ_INS_CGHRL:
        case SYSZ_INS_CLHRL:
        case SYSZ_INS_CLGHRL: return 2;
        default: return 0;
    }
}

// Returns how many bytes a load of arm64 reads from a literal.
std::uint64_t read_into(unsigned instruction, unsigned reg) {
    if (instruction == ARM64_INS_LDRSW) return 4;
    if (instruction != ARM64_INS_LDR) return 0;
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30) return 4;
    if (reg >= ARM64_REG_S0 && reg <= ARM64_REG_S31) return 4;
    if (reg >= ARM64_REG_Q0 && reg <= ARM64_REG_Q31) return 16;
    return 8;
}

// Writing the low half of a register clears the rest: w10 is x10.
unsigned whole_register(unsigned reg) {
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W28) return ARM64_REG_X0 + (reg - ARM64_REG_W0);
    if (reg == ARM64_REG_W29) return ARM64_REG_X29;
    if (reg == ARM64_REG_W30) return ARM64_REG_X30;
    return reg;
}

}  // namespace

Constants::Found Constants::follow(const cs_insn& instruction, bool branches) {
    Found found;
    switch (arch_) {
        case CS_ARCH_ARM64: found = follow_arm64(instruction); break;
        case CS_ARCH_SYSZ: found = follow_s390(instruction); break;
        case CS_ARCH_X86: return follow_x86(instruction);
        default: return found;
    }
    if (branches) known_.fill({});
    return found;
}

// A literal is in the byte order of the machine; of the architectures with literals only s390x is big-endian.
std::optional<std::uint64_t> Constants::literal(Address address) const {
    const auto offset = address - base_;
    if (offset > code_.size() || code_.size() - offset < sizeof(std::uint64_t)) return {};
    return FixedOrder<std::endian::big>::load<std::uint64_t>(code_.data() + offset);
}

Constants::Found Constants::follow_arm64(const cs_insn& instruction) {
    // Capstone 5 knows these, but not that they write a register; Capstone 4 does not know them.
    if (is_arm64_atomic(FixedOrder<std::endian::little>::load<std::uint32_t>(
            reinterpret_cast<const std::byte*>(static_cast<const std::uint8_t*>(instruction.bytes))))) {
        forget();
        return {};
    }
    const auto operands = std::span(instruction.detail->arm64.operands, instruction.detail->arm64.op_count);
    if (operands.empty() || operands[0].type != ARM64_OP_REG) return {};
    const auto reg = whole_register(operands[0].reg);
    if (instruction.id == ARM64_INS_BLR || instruction.id == ARM64_INS_BR) {
        const auto value = known(reg);
        return {value ? std::optional(Address{*value}) : std::nullopt, {}, {}};
    }
    if (operands.size() == 2 && operands[1].type == ARM64_OP_IMM) {
        if (const auto read = read_into(instruction.id, operands[0].reg); read != 0) {
            known(reg).reset();
            const Address place{static_cast<std::uint64_t>(operands[1].imm)};
            if (read > 8) return {{}, {}, Literal{place, 8}, 2};
            return {{}, {}, Literal{place, read}, 1};
        }
        const auto shift = operands[1].shift.type == ARM64_SFT_LSL ? operands[1].shift.value % 64 : 0;
        const auto immediate = static_cast<std::uint64_t>(operands[1].imm);
        switch (instruction.id) {
            case ARM64_INS_MOV:
            case ARM64_INS_MOVZ: known(reg) = immediate << shift; return {};
            case ARM64_INS_MOVN: known(reg) = ~(immediate << shift); return {};
            case ARM64_INS_MOVK:
                if (auto& value = known(reg)) {
                    value = (*value & ~(std::uint64_t{0xffff} << shift)) | immediate << shift;
                    return {{}, Address{*value}, {}};
                }
                return {};
            default: break;
        }
    }
    // Most instructions write their first register; loads of pairs also write the second.
    for (const auto& operand : operands) {
        const bool first = &operand == &operands[0];
        if (operand.type == ARM64_OP_REG && (first || (operand.access & CS_AC_WRITE) != 0)) {
            known(whole_register(operand.reg)).reset();
        }
    }
    return {};
}

// Follows the register that addresses the literals of a function: `basr %r11, %r0` and `larl %r11, literals` of
// arch/s390/net/bpf_jit_comp.c, bpf_jit_prologue().
void Constants::follow_pool(const cs_insn& instruction) {
    const auto operands = std::span(instruction.detail->sysz.operands, instruction.detail->sysz.op_count);
    if (operands.empty() || operands[0].type != SYSZ_OP_REG) return;
    const auto reg = static_cast<unsigned>(operands[0].reg);
    const bool one_of_many = instruction.id == SYSZ_INS_LMG;
    const bool only_read = std::string_view(static_cast<const char*>(instruction.mnemonic)).starts_with("st");
    if (one_of_many || (reg == pool_register_ && !only_read)) pool_register_ = 0;
    if (operands.size() != 2) return;
    const Address behind{instruction.address + instruction.size};
    if (instruction.id == SYSZ_INS_BASR && operands[1].type == SYSZ_OP_REG && operands[1].reg == SYSZ_REG_0) {
        pool_register_ = reg;
        pool_ = behind;
    }
    if (instruction.id == SYSZ_INS_LARL && operands[1].type == SYSZ_OP_IMM) {
        const Address to{static_cast<std::uint64_t>(operands[1].imm)};
        if (to >= behind && to - base_ < code_.size()) {
            pool_register_ = reg;
            pool_ = to;
        }
    }
}

// Finds the literal that the instruction reads.
void Constants::find_literal_s390(const cs_insn& instruction, Found& found) const {
    const auto read = read_by(instruction.id);
    const auto operands = std::span(instruction.detail->sysz.operands, instruction.detail->sysz.op_count);
    if (read == 0 || operands.empty()) return;
    const auto& place = operands.back();
    if (place.type == SYSZ_OP_IMM) found.literal = Literal{Address{static_cast<std::uint64_t>(place.imm)}, read};
    if (place.type == SYSZ_OP_MEM && pool_register_ != 0 && place.mem.base == pool_register_ && place.mem.index == 0) {
        found.literal = Literal{pool_ + static_cast<std::uint64_t>(place.mem.disp), read};
    }
    if (instruction.id == SYSZ_INS_LMG && operands.size() == 3) {
        found.literals = (static_cast<unsigned>(operands[1].reg) - static_cast<unsigned>(operands[0].reg)) % 16 + 1;
    }
}

Constants::Found Constants::follow_s390(const cs_insn& instruction) {
    Found found;
    find_literal_s390(instruction, found);
    follow_pool(instruction);
    const auto operands = std::span(instruction.detail->sysz.operands, instruction.detail->sysz.op_count);
    if (instruction.id == SYSZ_INS_BASR && operands.size() == 2 && operands[1].type == SYSZ_OP_REG) {
        const auto value = known(static_cast<unsigned>(operands[1].reg));
        if (value) found.target = Address{*value};
        return found;
    }
    if (operands.empty() || operands[0].type != SYSZ_OP_REG) return found;
    auto& value = known(static_cast<unsigned>(operands[0].reg));
    value.reset();
    if (operands.size() != 2 || operands[1].type != SYSZ_OP_IMM) return found;
    const Address immediate{static_cast<std::uint64_t>(operands[1].imm)};
    if (instruction.id == SYSZ_INS_LGRL) value = literal(immediate);
    if (instruction.id == SYSZ_INS_LARL) value = immediate.value;
    if (value) found.constant = Address{*value};
    return found;
}

Constants::Found Constants::follow_x86(const cs_insn& instruction) const {
    if (instruction.id != X86_INS_MOVABS) return {};
    for (const auto& operand : std::span(instruction.detail->x86.operands, instruction.detail->x86.op_count)) {
        if (operand.type == X86_OP_IMM) return {{}, Address{static_cast<std::uint64_t>(operand.imm)}, {}};
    }
    return {};
}

}  // namespace perfdata
