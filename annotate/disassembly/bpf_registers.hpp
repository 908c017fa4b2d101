// SPDX-License-Identifier: MIT
// Maps machine registers to BPF registers, in code from the kernel's BPF JIT.
#pragma once

#include <string>
#include <string_view>

namespace perfdata {

// bpf_registers(arch, operands) returns "rdi=r1, rbx=r6" for the registers in the operands, each once, in their order;
// empty if none holds a BPF register or the JIT of `arch` (as printed by `uname -m`) is unknown here.
std::string bpf_registers(std::string_view arch, std::string_view operands);

}  // namespace perfdata
