// SPDX-License-Identifier: MIT
// Machine code to instructions, by Capstone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

enum class Syntax : std::uint8_t { att, intel };  // of x86; other architectures have one

// Instruction is one decoded instruction, one word of data that an instruction before it reads (`.quad`, `.long`,
// `.short`: s390x, arm64), or one piece of bytes that are neither (`.byte`).
struct Instruction {
    std::uint64_t offset = 0;  // from the start of the code
    std::uint32_t size = 0;    // bytes; never 0
    bool decoded = true;       // false: data, or bytes
    std::string mnemonic;      // "(vex)", "(evex)": of an instruction that is known by its length only
    std::string operands;
    bool call = false;         // calls a function, directly or by a register or memory
    bool system_call = false;  // asks the kernel for something
    // Where a jump or a call leads: it says so itself, or its register holds a constant made just before.
    std::optional<Address> target;
    // An address-sized constant that the instruction leaves in a register, or that the word of data is; it may be the
    // address of code or of data.
    std::optional<Address> constant;
};

// Disassembler decodes one architecture. One thread at a time may use it.
class Disassembler {
  public:
    // create(arch) takes what `uname -m` says on the recording machine. Errors: unsupported.
    static Result<Disassembler> create(std::string_view arch, Syntax syntax = Syntax::att);

    // throw_without_memory() makes Capstone, in the whole process and before it is used, throw bad_alloc where memory
    // runs out. Without it some of its functions do not look at what malloc gives. It is for programs that do not use
    // Capstone themselves.
    static void throw_without_memory();

    Disassembler(Disassembler&&) noexcept;
    Disassembler& operator=(Disassembler&&) noexcept;
    ~Disassembler();

    // decode(code, address) covers every byte: where the bytes are no instruction it takes the least step that the
    // architecture knows and goes on behind it. `address` is where the code ran: relative targets depend on it.
    std::vector<Instruction> decode(Bytes code, Address address) const;

  private:
    struct Engine;
    explicit Disassembler(std::unique_ptr<Engine> engine);

    std::unique_ptr<Engine> engine_;
};

}  // namespace perfdata
