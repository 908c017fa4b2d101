// SPDX-License-Identifier: MIT
#include "function_code.hpp"

#include <algorithm>
#include <string_view>

#include "perfdata/recording/architecture.hpp"

namespace perfdata {
namespace {

// The words of Capstone, for architectures that BOLT knows: x86-64, arm64, RISC-V.
CodeStep::Kind kind_of(const Instruction& instruction) {
    using enum CodeStep::Kind;
    if (!instruction.decoded) return end;
    if (instruction.call) return call;
    std::string_view word = instruction.mnemonic;
    if (const auto space = word.rfind(' '); space != std::string_view::npos)
        word.remove_prefix(space + 1);  // "bnd jmp"
    if (word.starts_with("nop")) return nop;
    if (word == "jmp" || word == "jmpq" || word == "ljmp" || word == "b" || word == "br" || word == "braa" ||
        word == "brab" || word == "braaz" || word == "brabz" || word == "j" || word == "jr") {
        return instruction.target ? jump : indirect_jump;
    }
    if (word.starts_with("ret") || word == "iretq" || word == "ud2" || word == "hlt" || word == "udf" ||
        word == "brk" || word == "int3") {
        return end;
    }
    const bool may_jump = word.starts_with('j') || word.starts_with("loop") || word.starts_with("b.") ||
                          word.starts_with("cb") || word.starts_with("tb") || word.starts_with('b');
    return instruction.target && may_jump ? conditional : plain;
}

}  // namespace

const CodeStep* FunctionCode::at(std::uint64_t address) const {
    const auto found = std::ranges::lower_bound(steps, address, {}, &CodeStep::address);
    return found == steps.end() || found->address != address ? nullptr : &*found;
}

FunctionDecoder::FunctionDecoder(std::shared_ptr<const ElfFile> file) : file_(std::move(file)) {
    constexpr std::uint64_t times = 2;
    bytes_left_ = times * file_->source().size();
    auto created = Disassembler::create(elf_architecture(file_->machine(), file_->order().endian()));
    if (created) {
        disassembler_ = std::move(*created);
    } else {
        problem_ = std::move(created.error());
    }
}

FunctionCode FunctionDecoder::decode(const BranchFunction& function) {
    FunctionCode code;
    if (!disassembler_) return code;
    if (function.size == 0 || function.size > std::min(longest_function, bytes_left_)) {
        ++not_decoded_;
        return code;
    }
    bytes_left_ -= function.size;
    std::vector<std::byte> bytes(static_cast<std::size_t>(function.size));
    const auto read = file_->read(function.begin, bytes);
    if (!read || *read == 0) {
        ++not_decoded_;
        return code;
    }
    bytes.resize(*read);
    const auto instructions = disassembler_->decode(bytes, {function.begin});
    code.steps.reserve(instructions.size());
    for (const auto& one : instructions) {
        const auto kind = kind_of(one);
        const bool direct = kind == CodeStep::Kind::jump || kind == CodeStep::Kind::conditional || one.call;
        code.steps.push_back(
            {function.begin + one.offset, one.size, kind, direct && one.target ? one.target->value : 0});
    }
    return code;
}

}  // namespace perfdata
