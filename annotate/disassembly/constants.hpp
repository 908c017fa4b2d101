// SPDX-License-Identifier: MIT
// Tracks constants in registers of straight-line code, and the words of the code that are constants: JITs call far
// functions through a register, and store numbers after the code.
#pragma once

#include <array>
#include <capstone/capstone.h>
#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"

#include "literals.hpp"

namespace perfdata {

// Constants follows one function, instruction by instruction. It knows the few idioms that JITs use to make an address:
//
//     arm64   mov/movn x10, #...; movk x10, #..., lsl #16 ...; blr x10
//     s390x   lgrl %r1, <literal behind the code>; basr %r14, %r1
//             basr %r11, %r0; ... ng %r14, <literal behind the code>(%r11)
//     x86     movabs $..., %rsi
class Constants {
  public:
    // `code` is the function's bytes, `base` its address: literals are read from it.
    Constants(cs_arch arch, Bytes code, Address base) : arch_(arch), code_(code), base_(base) {}

    struct Found {
        std::optional<Address> target;    // of an indirect jump or call through a register with a known constant
        std::optional<Address> constant;  // completed in a register by the instruction
        // The literal that it reads, addressed by itself or by a register that holds an address of the code; the first
        // of several adjacent words, and their number.
        std::optional<Literal> literal;
        unsigned literals = 1;
    };
    // follow(instruction) processes the next instruction. `branches`: it is a jump or a call, after which registers are
    // unknown.
    Found follow(const cs_insn& instruction, bool branches);

    // forget() is for an instruction that cannot be followed.
    void forget() { known_.fill({}); }

  private:
    Found follow_arm64(const cs_insn& instruction);
    Found follow_s390(const cs_insn& instruction);
    Found follow_x86(const cs_insn& instruction) const;

    std::optional<std::uint64_t>& known(unsigned reg) { return known_[reg % known_.size()]; }
    std::optional<std::uint64_t> literal(Address address) const;
    void follow_pool(const cs_insn& instruction);
    void find_literal_s390(const cs_insn& instruction, Found& found) const;

    cs_arch arch_;
    Bytes code_;
    Address base_;
    std::array<std::optional<std::uint64_t>, 512> known_{};  // by Capstone's register number
    // s390x: the register that holds the address of a function's literals, across its calls. 0: none.
    unsigned pool_register_ = 0;
    Address pool_;
};

}  // namespace perfdata
