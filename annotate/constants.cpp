// SPDX-License-Identifier: MIT
#include "constants.hpp"

#include <span>

#include "perfdata/core/endian.hpp"

namespace perfdata {

namespace {

// A write to the low half of a register clears the rest: w10 is x10.
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

// A literal is read in the order of the machine; of the architectures that keep literals only s390x is big-endian.
std::optional<std::uint64_t> Constants::literal(Address address) const {
    const auto offset = address - base_;
    if (offset > code_.size() || code_.size() - offset < sizeof(std::uint64_t)) return {};
    return FixedOrder<std::endian::big>::load<std::uint64_t>(code_.data() + offset);
}

Constants::Found Constants::follow_arm64(const cs_insn& instruction) {
    const auto operands = std::span(instruction.detail->arm64.operands, instruction.detail->arm64.op_count);
    if (operands.empty() || operands[0].type != ARM64_OP_REG) return {};
    const auto reg = whole_register(operands[0].reg);
    if (instruction.id == ARM64_INS_BLR || instruction.id == ARM64_INS_BR) {
        const auto value = known(reg);
        return {value ? std::optional(Address{*value}) : std::nullopt, {}};
    }
    if (operands.size() == 2 && operands[1].type == ARM64_OP_IMM) {
        const auto shift = operands[1].shift.type == ARM64_SFT_LSL ? operands[1].shift.value % 64 : 0;
        const auto immediate = static_cast<std::uint64_t>(operands[1].imm);
        switch (instruction.id) {
            case ARM64_INS_MOV:
            case ARM64_INS_MOVZ: known(reg) = immediate << shift; return {};
            case ARM64_INS_MOVN: known(reg) = ~(immediate << shift); return {};
            case ARM64_INS_MOVK:
                if (auto& value = known(reg)) {
                    value = (*value & ~(std::uint64_t{0xffff} << shift)) | immediate << shift;
                    return {{}, Address{*value}};
                }
                return {};
            default: break;
        }
    }
    // Most instructions write their first register; loads of pairs write the second as well.
    for (const auto& operand : operands) {
        const bool first = &operand == &operands[0];
        if (operand.type == ARM64_OP_REG && (first || (operand.access & CS_AC_WRITE) != 0)) {
            known(whole_register(operand.reg)).reset();
        }
    }
    return {};
}

Constants::Found Constants::follow_s390(const cs_insn& instruction) {
    const auto operands = std::span(instruction.detail->sysz.operands, instruction.detail->sysz.op_count);
    if (instruction.id == SYSZ_INS_BASR && operands.size() == 2 && operands[1].type == SYSZ_OP_REG) {
        const auto value = known(static_cast<unsigned>(operands[1].reg));
        return {value ? std::optional(Address{*value}) : std::nullopt, {}};
    }
    if (operands.empty() || operands[0].type != SYSZ_OP_REG) return {};
    auto& value = known(static_cast<unsigned>(operands[0].reg));
    value.reset();
    if (operands.size() != 2 || operands[1].type != SYSZ_OP_IMM) return {};
    const Address immediate{static_cast<std::uint64_t>(operands[1].imm)};
    if (instruction.id == SYSZ_INS_LGRL) value = literal(immediate);
    if (instruction.id == SYSZ_INS_LARL) value = immediate.value;
    return {{}, value ? std::optional(Address{*value}) : std::nullopt};
}

Constants::Found Constants::follow_x86(const cs_insn& instruction) const {
    if (instruction.id != X86_INS_MOVABS) return {};
    for (const auto& operand : std::span(instruction.detail->x86.operands, instruction.detail->x86.op_count)) {
        if (operand.type == X86_OP_IMM) return {{}, Address{static_cast<std::uint64_t>(operand.imm)}};
    }
    return {};
}

}  // namespace perfdata
