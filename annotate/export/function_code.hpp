// SPDX-License-Identifier: MIT
// The instructions of a function, as far as branches need them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "branch_counts.hpp"

namespace perfdata {

// CodeStep is one instruction.
struct CodeStep {
    enum class Kind : std::uint8_t {
        plain,
        nop,
        call,
        conditional,    // jumps or goes on; all kinds behind never go on
        jump,           // to `target`
        indirect_jump,  // to where a register or memory says
        end,            // returns or traps
    };

    std::uint64_t address = 0;  // virtual address in the file
    std::uint32_t size = 0;     // bytes
    Kind kind = Kind::plain;
    std::uint64_t target = 0;  // of a direct jump or call; 0: none

    std::uint64_t after() const { return address + size; }
    bool goes_on() const { return kind <= Kind::conditional; }
};

// FunctionCode is instructions by address, without gaps.
struct FunctionCode {
    std::vector<CodeStep> steps;

    // Returns the instruction that begins at the address; null if none does.
    const CodeStep* at(std::uint64_t address) const;
};

// FunctionDecoder decodes functions of one file. Functions of a hostile file may overlap: it decodes at most twice the
// bytes of the file, and no function of more than longest_function bytes.
class FunctionDecoder {
  public:
    static constexpr std::uint64_t longest_function = std::uint64_t{16} << 20;

    explicit FunctionDecoder(std::shared_ptr<const ElfFile> file);

    // Returns no steps where the code cannot be read or decoded.
    FunctionCode decode(const BranchFunction& function);
    // Returns why nothing is decoded at all.
    const std::optional<Error>& problem() const { return problem_; }
    // Returns how many functions were not decoded.
    std::uint64_t not_decoded() const { return not_decoded_; }

  private:
    std::shared_ptr<const ElfFile> file_;
    std::optional<Disassembler> disassembler_;
    std::optional<Error> problem_;
    std::uint64_t bytes_left_ = 0;
    std::uint64_t not_decoded_ = 0;
};

}  // namespace perfdata
