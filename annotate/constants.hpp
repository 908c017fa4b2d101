// SPDX-License-Identifier: MIT
// Which constants registers hold in straight-line code: JITs call far functions through a register.
#pragma once

#include <array>
#include <capstone/capstone.h>
#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"

namespace perfdata {

// Constants follows one function, instruction by instruction. It knows the few idioms with which JITs make an address:
//
//     arm64   mov/movn x10, #...; movk x10, #..., lsl #16 ...; blr x10
//     s390x   lgrl %r1, <literal behind the code>; basr %r14, %r1
//     x86     movabs $..., %rsi
class Constants {
  public:
    // `code` is the function's bytes, `base` its address: literals are read from it.
    Constants(cs_arch arch, Bytes code, Address base) : arch_(arch), code_(code), base_(base) {}

    struct Found {
        std::optional<Address> target;    // of an indirect jump or call, if its register holds a constant
        std::optional<Address> constant;  // that the instruction completed in a register
    };
    // follow(instruction) takes in the next instruction. `branches`: it is a jump or a call; what registers hold
    // behind it is not known.
    Found follow(const cs_insn& instruction, bool branches);

  private:
    Found follow_arm64(const cs_insn& instruction);
    Found follow_s390(const cs_insn& instruction);
    Found follow_x86(const cs_insn& instruction) const;

    std::optional<std::uint64_t>& known(unsigned reg) { return known_[reg % known_.size()]; }
    std::optional<std::uint64_t> literal(Address address) const;

    cs_arch arch_;
    Bytes code_;
    Address base_;
    std::array<std::optional<std::uint64_t>, 512> known_{};  // by Capstone's number of the register
};

}  // namespace perfdata
