// SPDX-License-Identifier: MIT
// Decodes machine code to instructions, with Capstone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// Syntax is the form of assembly for x86; other architectures have only one.
enum class Syntax : std::uint8_t { att, intel };

// Instruction is one decoded instruction, one data word that an earlier instruction reads (`.quad`, `.long`, `.short`:
// s390x, arm64), or one piece of bytes that are neither (`.byte`).
struct Instruction {
    std::uint64_t offset = 0;  // from the start of the code
    std::uint32_t size = 0;    // bytes; never 0
    bool decoded = true;       // false: data, or bytes
    std::string mnemonic;      // "(vex)", "(evex)": only the length of the instruction is known
    std::string operands;      // as Capstone writes them; may be empty
    bool call = false;         // calls a function, directly or through a register or memory
    bool system_call = false;  // kernel entry by a system call
    // The target of a jump or a call: from the instruction itself, or from a register that holds a constant set just
    // before.
    std::optional<Address> target;
    // An address-sized constant that the instruction leaves in a register, or that is the data word; it may be the
    // address of code or of data.
    std::optional<Address> constant;
};

// Disassembler decodes one architecture. Only one thread at a time may use it.
class PERFDATA_EXPORT Disassembler {
  public:
    // create(arch) takes the output of `uname -m` on the recording machine. Errors: unsupported.
    static Result<Disassembler> create(std::string_view arch, Syntax syntax = Syntax::att);

    // throw_without_memory() makes Capstone throw bad_alloc when memory runs out, in the whole process; call it before
    // Capstone is used. Without it some of its functions do not check the result of malloc. For programs that do not
    // use Capstone themselves.
    static void throw_without_memory();

    Disassembler(Disassembler&&) noexcept;
    Disassembler& operator=(Disassembler&&) noexcept;
    ~Disassembler();

    // decode(code, address) covers every byte: where the bytes are not an instruction it skips the smallest step of the
    // architecture and continues after it. `address` is where the code ran: relative targets depend on it. It stops in
    // front of the first instruction that would be more than `most`.
    std::vector<Instruction> decode(Bytes code, Address address, std::size_t most = SIZE_MAX) const;

  private:
    struct Engine;
    explicit Disassembler(std::unique_ptr<Engine> engine);

    std::unique_ptr<Engine> engine_;
};

}  // namespace perfdata
