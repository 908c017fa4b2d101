// SPDX-License-Identifier: MIT
#include "perfdata/annotate/disassembly/disassembler.hpp"

#include <algorithm>
#include <array>
#include <capstone/capstone.h>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "perfdata/core/arch.hpp"
#include "perfdata/core/endian.hpp"

#include "arm64_instruction.hpp"
#include "constants.hpp"
#include "literals.hpp"
#include "vector_instruction.hpp"

namespace perfdata {
namespace {

// CapstoneMode is Capstone's identification of an architecture.
struct CapstoneMode {
    cs_arch arch;
    cs_mode mode;
};

// Joins modes: as they are, they would become numbers.
constexpr cs_mode both(cs_mode mode, cs_mode other) {
    using Number = std::underlying_type_t<cs_mode>;
    return static_cast<cs_mode>(static_cast<Number>(mode) | static_cast<Number>(other));
}

// capstone_mode(arch) is empty for architectures unknown to Capstone or to this file.
std::optional<CapstoneMode> capstone_mode(const Arch& arch) {
    const bool wide = arch.address_bytes == 8, little = arch.order == std::endian::little;
    switch (arch.family) {
        case ArchFamily::x86: return CapstoneMode{CS_ARCH_X86, wide ? CS_MODE_64 : CS_MODE_32};
        case ArchFamily::arm64:
            if (little) return CapstoneMode{CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN};
            break;
        case ArchFamily::s390:
            if (wide) return CapstoneMode{CS_ARCH_SYSZ, CS_MODE_BIG_ENDIAN};
            break;
        case ArchFamily::powerpc:
            if (wide)
                return CapstoneMode{CS_ARCH_PPC, both(CS_MODE_64, little ? CS_MODE_LITTLE_ENDIAN : CS_MODE_BIG_ENDIAN)};
            break;
        case ArchFamily::riscv:
#if CS_API_MAJOR >= 5
            if (wide) return CapstoneMode{CS_ARCH_RISCV, both(CS_MODE_RISCV64, CS_MODE_RISCVC)};
#endif
            break;
        case ArchFamily::arm:
        case ArchFamily::mips:
        case ArchFamily::loongarch: break;
    }
    return {};
}

struct FreeInstruction {
    void operator()(cs_insn* instruction) const { cs_free(instruction, 1); }
};

template <class Operand>
std::optional<Address> immediate(std::span<const Operand> operands, int immediate_type) {
    if (operands.empty() || static_cast<int>(operands.back().type) != immediate_type) return {};
    return Address{static_cast<std::uint64_t>(operands.back().imm)};
}

// The target of a direct jump or call is its last operand; Capstone has already added the instruction's address.
std::optional<Address> target_operand(cs_arch arch, const cs_detail& detail) {
    switch (arch) {
        case CS_ARCH_X86: return immediate(std::span(detail.x86.operands, detail.x86.op_count), X86_OP_IMM);
        case CS_ARCH_ARM64: return immediate(std::span(detail.arm64.operands, detail.arm64.op_count), ARM64_OP_IMM);
        case CS_ARCH_SYSZ: return immediate(std::span(detail.sysz.operands, detail.sysz.op_count), SYSZ_OP_IMM);
        case CS_ARCH_PPC: return immediate(std::span(detail.ppc.operands, detail.ppc.op_count), PPC_OP_IMM);
        default: return {};
    }
}

bool branches(csh handle, cs_arch arch, const cs_insn& instruction) {
    for (const auto group : {CS_GRP_JUMP, CS_GRP_CALL, CS_GRP_BRANCH_RELATIVE}) {
        if (cs_insn_group(handle, &instruction, group)) return true;
    }
    // Capstone 4 assigns these to no group.
    const std::string_view mnemonic = static_cast<const char*>(instruction.mnemonic);
    if (arch == CS_ARCH_ARM64) return mnemonic == "bl";
    if (arch == CS_ARCH_PPC) return mnemonic.starts_with('b');
    if (arch == CS_ARCH_SYSZ) {
        constexpr std::string_view jumps[] = {"j",    "br",   "cij",  "crj",   "clij",
                                              "clrj", "cgij", "cgrj", "clgij", "clgrj"};
        if (mnemonic == "bras" || mnemonic == "brasl") return true;
        return std::ranges::any_of(jumps, [&](std::string_view jump) { return mnemonic.starts_with(jump); });
    }
    return false;
}

bool is_call(csh handle, cs_arch arch, const cs_insn& instruction) {
    if (cs_insn_group(handle, &instruction, CS_GRP_CALL)) return true;
    const std::string_view mnemonic = static_cast<const char*>(instruction.mnemonic);
    switch (arch) {
        case CS_ARCH_ARM64: return mnemonic.starts_with("bl");
        // Names of branches that set the link register end in l, or in la for absolute targets.
        case CS_ARCH_PPC: return mnemonic.starts_with('b') && (mnemonic.ends_with('l') || mnemonic.ends_with("la"));
        case CS_ARCH_SYSZ:
            return mnemonic.starts_with("bras") || mnemonic.starts_with("bas") || mnemonic == "bal" ||
                   mnemonic == "balr";
#if CS_API_MAJOR >= 5
        case CS_ARCH_RISCV:
            return (mnemonic.starts_with("jal") || mnemonic.starts_with("c.jal")) &&
                   !std::string_view(static_cast<const char*>(instruction.op_str)).starts_with("zero");
#endif
        default: return false;
    }
}

bool is_system_call(cs_arch arch, const cs_insn& instruction) {
    const std::string_view mnemonic = static_cast<const char*>(instruction.mnemonic);
    const std::string_view operands = static_cast<const char*>(instruction.op_str);
    switch (arch) {
        case CS_ARCH_X86:
            return mnemonic == "syscall" || mnemonic == "sysenter" || (mnemonic == "int" && operands.ends_with("0x80"));
        case CS_ARCH_ARM64:
        case CS_ARCH_SYSZ: return mnemonic == "svc";
        case CS_ARCH_PPC: return mnemonic == "sc" || mnemonic == "scv";
        default: return mnemonic == "ecall";
    }
}

void* not_null(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

// is_padding(bytes, before_literal) returns true for zeros that align the literal after them.
bool is_padding(Bytes bytes, bool before_literal) {
    return before_literal && bytes.size() < sizeof(std::uint64_t) &&
           std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; });
}

std::string bytes_as_data(Bytes bytes) {
    std::string text;
    for (const auto byte : bytes) {
        fmt::format_to(std::back_inserter(text), "{}0x{:02x}", text.empty() ? "" : ", ",
                       std::to_integer<unsigned>(byte));
    }
    return text;
}

}  // namespace

struct Disassembler::Engine {
    csh handle = 0;
    cs_arch arch = CS_ARCH_X86;
    std::size_t step = 1;
    bool vectors = false;  // 64-bit x86
    std::unique_ptr<cs_insn, FreeInstruction> scratch;

    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() {
        scratch.reset();
        if (handle != 0) cs_close(&handle);
    }

    bool decode_by_capstone(Bytes code, Address address, Instruction& result, Constants& constants,
                            Literals& literals) const;
    bool decode_by_table(Bytes code, Instruction& result) const;
    Instruction decode_bytes(Bytes code) const;
    Instruction decode_literal(Bytes word) const;
};

Disassembler::Disassembler(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Disassembler::Disassembler(Disassembler&&) noexcept = default;
Disassembler& Disassembler::operator=(Disassembler&&) noexcept = default;
Disassembler::~Disassembler() = default;

Result<Disassembler> Disassembler::create(std::string_view arch, Syntax syntax) {
    const auto unsupported = [&](std::string why) {
        return fail(ErrorCode::unsupported, Error::no_offset, "disassembler", std::move(why));
    };
    const auto* named = find_arch(arch);
    const auto known = named == nullptr ? std::nullopt : capstone_mode(*named);
    if (!known) {
        return unsupported(arch.empty() ? "the recording does not say its architecture (feature ARCH)"
                                        : fmt::format("no support for the architecture {}", arch));
    }
    auto engine = std::make_unique<Engine>();
    engine->arch = known->arch;
    engine->step = named->least_instruction;
    engine->vectors = known->arch == CS_ARCH_X86 && known->mode == CS_MODE_64;
    // Capstone's setup writes to the result of malloc without checking it. A block of that size that was just freed is
    // available.
    constexpr std::size_t taken_by_setup = 65536;
    std::make_unique_for_overwrite<char[]>(taken_by_setup).reset();
    const auto opened = cs_open(known->arch, known->mode, &engine->handle);
    if (opened == CS_ERR_MEM) throw std::bad_alloc();
    if (opened != CS_ERR_OK) return unsupported(fmt::format("Capstone has no {}: {}", arch, cs_strerror(opened)));
    cs_option(engine->handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (known->arch == CS_ARCH_X86) {
        cs_option(engine->handle, CS_OPT_SYNTAX, syntax == Syntax::att ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
    }
    engine->scratch.reset(cs_malloc(engine->handle));
    if (!engine->scratch) throw std::bad_alloc();
    return Disassembler(std::move(engine));
}

void Disassembler::throw_without_memory() {
    cs_opt_mem memory{};
    memory.malloc = [](std::size_t size) { return not_null(std::malloc(size)); };
    memory.calloc = [](std::size_t count, std::size_t size) { return not_null(std::calloc(count, size)); };
    memory.realloc = [](void* old, std::size_t size) { return not_null(std::realloc(old, size)); };
    memory.free = [](void* old) { std::free(old); };
    memory.vsnprintf = [](char* text, std::size_t size, const char* format, std::va_list arguments) {
        return std::vsnprintf(text, size, format, arguments);
    };
    cs_option(0, CS_OPT_MEM, reinterpret_cast<std::size_t>(&memory));
}

// Decodes the first instruction of the code; false if Capstone does not know it.
bool Disassembler::Engine::decode_by_capstone(Bytes code, Address address, Instruction& result, Constants& constants,
                                              Literals& literals) const {
    const auto* at = reinterpret_cast<const std::uint8_t*>(code.data());
    auto left = code.size();
    auto place = address.value;
    auto* decoded = scratch.get();
    if (!cs_disasm_iter(handle, &at, &left, &place, decoded)) return false;
    result.size = decoded->size;
    result.mnemonic = static_cast<const char*>(decoded->mnemonic);
    result.operands = static_cast<const char*>(decoded->op_str);
    const bool branch = branches(handle, arch, *decoded);
    result.call = is_call(handle, arch, *decoded);
    result.system_call = is_system_call(arch, *decoded);
    if (branch) result.target = target_operand(arch, *decoded->detail);
    const auto found = constants.follow(*decoded, branch);
    if (!result.target) result.target = found.target;
    result.constant = found.constant;
    for (unsigned index = 0; found.literal && index < found.literals; ++index) {
        literals.add({found.literal->address + index * found.literal->size, found.literal->size},
                     result.offset + result.size);
    }
    return true;
}

// Names instructions unknown to Capstone, from our own tables.
bool Disassembler::Engine::decode_by_table(Bytes code, Instruction& result) const {
    if (arch != CS_ARCH_ARM64 || code.size() < sizeof(std::uint32_t)) return false;
    auto known = arm64_instruction(FixedOrder<std::endian::little>::load<std::uint32_t>(code.data()));
    if (!known) return false;
    result.size = sizeof(std::uint32_t);
    result.call = known->mnemonic.starts_with("bl");
    result.mnemonic = std::move(known->mnemonic);
    result.operands = std::move(known->operands);
    return true;
}

// Consumes the smallest step over bytes that are not an instruction, or a whole one if at least its length is known.
Instruction Disassembler::Engine::decode_bytes(Bytes code) const {
    Instruction result;
    const auto vector = vectors ? vector_instruction(code) : VectorInstruction{};
    const auto size = vector.size != 0 ? vector.size : std::min(step, code.size());
    result.size = static_cast<std::uint32_t>(size);
    result.decoded = vector.size != 0;
    result.mnemonic = vector.size != 0 ? fmt::format("({})", vector.prefix) : ".byte";
    result.operands = bytes_as_data(code.first(size));
    return result;
}

// Prints a word of data like an assembler; an address-sized one may be the address of a function.
Instruction Disassembler::Engine::decode_literal(Bytes word) const {
    const bool big = arch == CS_ARCH_SYSZ;  // the others with literals are little-endian
    std::uint64_t value = 0;
    for (std::size_t index = 0; index < word.size(); ++index) {
        value = value << 8 | std::to_integer<std::uint64_t>(word[big ? index : word.size() - 1 - index]);
    }
    Instruction result;
    result.size = static_cast<std::uint32_t>(word.size());
    result.decoded = false;
    result.mnemonic = word.size() == 8 ? ".quad" : word.size() == 4 ? ".long" : ".short";
    result.operands = fmt::format("{:#x}", value);
    if (word.size() == 8) result.constant = Address{value};
    return result;
}

std::vector<Instruction> Disassembler::decode(Bytes code, Address address, std::size_t most) const {
    std::vector<Instruction> instructions;
    constexpr std::size_t usual_size = 4;
    instructions.reserve(std::min(code.size() / usual_size, most));
    Constants constants(engine_->arch, code, address);
    Literals literals(address, code.size());
    for (std::size_t offset = 0; offset < code.size() && instructions.size() < most;) {
        const auto next = static_cast<std::size_t>(literals.next(offset));
        const auto rest = code.subspan(offset);
        Instruction result;
        result.offset = offset;
        if (const auto size = literals.take(offset)) {
            result = engine_->decode_literal(rest.first(static_cast<std::size_t>(*size)));
        } else if (const auto before = rest.first(next - offset); is_padding(before, next != code.size())) {
            result.size = static_cast<std::uint32_t>(before.size());
            result.decoded = false;
            result.mnemonic = ".byte";
            result.operands = bytes_as_data(before);
        } else if (!engine_->decode_by_capstone(before, address + offset, result, constants, literals) ||
                   result.mnemonic == "hint") {
            constants.forget();
            if (!engine_->decode_by_table(before, result) && result.size == 0) {
                result = engine_->decode_bytes(before);
            }
        }
        result.offset = offset;
        offset += result.size;
        instructions.push_back(std::move(result));
    }
    return instructions;
}

}  // namespace perfdata
